package import OfflineTree

extension ChangeRun {
  /// The part after `position`, if the run passes through exactly that change; nil if it does not, or ends there.
  ///
  /// - Complexity: O(bytes up to the position), which are hashed.
  package func suffix(after position: LogPosition) -> ChangeRun? {
    guard position.log == log, position.seq >= first, position.seq < last else { return nil }
    let kept = Int(position.seq - first) + 1
    let passed = ChangeRun(log: log, first: first, hashBefore: hashBefore, bodies: Array(bodies[..<kept]))
    guard passed.head == position.hash else { return nil }
    return ChangeRun(
      log: log, first: position.seq + 1, hashBefore: position.hash, bodies: Array(bodies[kept...]))
  }

  /// Pieces of at most `bytes`, one change at least, each with the hash before it.
  ///
  /// - Complexity: O(bytes), which are hashed.
  package func pieces(ofAtMost bytes: Int) -> [ChangeRun] {
    if byteCount <= bytes { return bodies.isEmpty ? [] : [self] }
    var result: [ChangeRun] = []
    var (start, size, before, hash) = (0, 0, hashBefore, hashBefore)
    for (index, body) in bodies.enumerated() {
      if index > start, size + body.count > bytes {
        result.append(piece(start..<index, before))
        (start, size, before) = (index, 0, hash)
      }
      size += body.count
      hash = Change.hash(log: log, seq: first + UInt64(index), previous: hash, body: body)
    }
    result.append(piece(start..<bodies.count, before))
    return result
  }

  private func piece(_ range: Range<Int>, _ before: Bytes32) -> ChangeRun {
    ChangeRun(log: log, first: first + UInt64(range.lowerBound), hashBefore: before, bodies: Array(bodies[range]))
  }
}
