/// The rows of one log that were found in a damaged home, and what they come to.
///
/// A chain of hashes joins rows, so it does not matter in which order, how often and from which commit they were found;
/// a signature of the log's device says that what it is over was committed and is whole.
struct SalvagedLog {
  let id: LogID
  let device: Bytes32
  /// Is it certain that the log is that device's?
  var isProven = false
  var rows: [(run: StoredRun, isLive: Bool)] = []
  var signatures: [UInt64: Set<Signature>] = [:]

  /// Changes that follow each other.
  struct Piece {
    var run: ChangeRun
    /// Does the newest head lead to all of it?
    var isLive: Bool

    var isSigned: Bool { run.signature != nil }
  }

  private struct Place: Hashable {
    let seq: UInt64
    let hash: Bytes32
  }

  /// Pieces up to the signatures that were found, and what stands behind the last one of each branch.
  ///
  /// - Complexity: O(bytes).
  func pieces(of space: SpaceID) -> [Piece] {
    var byPlace: [Place: [Int]] = [:]
    // What is live first, and the longer row before the one that is its beginning.
    let order = rows.indices.sorted {
      let (left, right) = (rows[$0], rows[$1])
      if left.run.first != right.run.first { return left.run.first < right.run.first }
      if left.isLive != right.isLive { return left.isLive }
      return left.run.next > right.run.next
    }
    for index in order {
      let run = rows[index].run
      byPlace[Place(seq: run.first, hash: run.hashBefore), default: []].append(index)
    }
    var (pieces, isTaken) = ([Piece](), Set<Int>())
    for start in order where !isTaken.contains(start) {
      // A row that nothing leads to begins what stands behind a hole.
      var todo = [(start, nil as Piece?)]
      while let (index, before) = todo.popLast() {
        guard isTaken.insert(index).inserted else { continue }
        var open = before
        let end = take(rows[index], &open, &pieces, space)
        let following = (byPlace[end] ?? []).filter { !isTaken.contains($0) }
        if following.isEmpty, let open { pieces.append(open) }
        // The last one is taken first.
        for next in following.reversed() { todo.append((next, open)) }
      }
    }
    return pieces
  }

  /// Goes over one row; what is behind its last signature stays open.
  private func take(
    _ row: (run: StoredRun, isLive: Bool), _ open: inout Piece?, _ pieces: inout [Piece], _ space: SpaceID
  ) -> Place {
    var place = Place(seq: row.run.first, hash: row.run.hashBefore)
    for body in row.run.bodies {
      var piece =
        open ?? Piece(run: ChangeRun(log: id, first: place.seq, hashBefore: place.hash, bodies: []), isLive: true)
      // Held once alone, so that it grows in place.
      open = nil
      piece.run.append(body)
      piece.isLive = piece.isLive && row.isLive
      let hash = Change.hash(log: id, seq: place.seq, previous: place.hash, body: body)
      if let signature = signature(of: place.seq, hash, space) {
        piece.run.signature = signature
        pieces.append(piece)
      } else {
        open = piece
      }
      place = Place(seq: place.seq + 1, hash: hash)
    }
    return place
  }

  /// How many changes it has, as far as a row says whose last change its device has signed; nil if none does.
  func signedCount(_ extents: [SalvagedRows.Extent], _ space: SpaceID) -> UInt64? {
    extents.filter { $0.count > 0 && signature(of: $0.count - 1, $0.head, space) != nil }.map(\.count).max()
  }

  private func signature(of seq: UInt64, _ head: Bytes32, _ space: SpaceID) -> Signature? {
    guard let found = signatures[seq] else { return nil }
    let message = ChangeRun.signedHead(log: id, seq: seq, head: head, space: space)
    return found.first { Sodium.isValid($0, of: message, byUnknown: device) }
  }
}
