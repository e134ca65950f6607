/// The sums that the state hash is made of, for another replica with the same changes to compare.
extension Database {
  package func answer(_ question: StateQuestion) throws(TreeError) -> StateAnswer {
    switch question {
    case .buckets: .buckets(try stateBuckets())
    case .pieces(let range): .pieces(try statePieces(of: range))
    }
  }

  /// The sum of each bucket.
  func stateBuckets() throws(TreeError) -> [UInt128] {
    try view { rows, _ in
      try (0..<StateHash.buckets).map { try Replica.hashBucket(UInt8($0), rows) }
    }
  }

  /// A range in pieces with about as many paths each: O(everything).
  func statePieces(of range: StateRange) throws(TreeError) -> [StatePiece] {
    let sums = try sums(of: range)
    let size = max(1, (sums.count + StateAnswer.pieces - 1) / StateAnswer.pieces)
    return stride(from: 0, to: sums.count, by: size).map { start in
      let part = sums[start..<min(start + size, sums.count)]
      return StatePiece(
        through: part.last?.key ?? [], paths: UInt64(part.count), sum: part.reduce(0) { $0 &+ $1.sum })
    }
  }

  /// The same cut where another replica has cut it, and with what is behind its last cut; each with its first path.
  func statePieces(
    of range: StateRange, cutAs others: [StatePiece]
  ) throws(TreeError) -> [(piece: StatePiece, first: [UInt8]?)] {
    var cuts: [(piece: StatePiece, first: [UInt8]?)] = []
    for other in others {
      if let last = cuts.last, !last.piece.through.lexicographicallyPrecedes(other.through) {
        throw TreeError(.damaged, "the pieces of an answer are not sorted")
      }
      cuts.append((StatePiece(through: other.through, paths: 0, sum: 0), nil))
    }
    cuts.append((StatePiece(through: range.through ?? [], paths: 0, sum: 0), nil))
    var place = 0
    for (key, sum) in try sums(of: range) {
      while place < others.count, others[place].through.lexicographicallyPrecedes(key) { place += 1 }
      cuts[place].first = cuts[place].first ?? key
      cuts[place].piece.paths += 1
      cuts[place].piece.sum &+= sum
    }
    return cuts
  }

  /// What each path of a range adds, in order.
  private func sums(of range: StateRange) throws(TreeError) -> [(key: [UInt8], sum: UInt128)] {
    try view { rows, replica in
      var sums: [[UInt8]: UInt128] = [:]
      try replica.forEachItem(rows) { path, item in
        if item.bucket == range.bucket, range.contains(path.bytes) { sums[path.bytes, default: 0] &+= item.value }
      }
      return sums.map { (key: $0.key, sum: $0.value) }.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    }
  }
}
