/// Taking back what was dropped.
extension Replica {
  /// Fills gaps from a run that passes through them: those whose hashes fit on both sides.
  ///
  /// - Parameter hashes: Of each change of the run.
  /// - Returns: How many changes are here again.
  mutating func fill(
    _ run: ChangeRun, _ hashes: [Bytes32], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Int {
    var filled = 0
    guard run.isWithinLimits, !run.bodies.isEmpty, UInt64(run.bodies.count) >= block else { return 0 }
    for log in indices[run.log] ?? [] where logs[log].dropped.overlaps(run.first, run.last) {
      var first = (run.first + block - 1) / block * block
      while let gap = logs[log].dropped.range(atOrAfter: first) {
        first = max(first, gap.lowerBound)
        guard first + block - 1 <= run.last else { break }
        let offset = Int(first - run.first)
        let before = offset == 0 ? run.hashBefore : hashes[offset - 1]
        let hole = try self.gap(log, at: first, rows)
        if hole.hashBefore == before, hole.head == hashes[offset + Int(block) - 1] {
          let bodies = run.bodies[offset..<offset + Int(block)]
          try put(Row(first: first, hashBefore: before, bodies: bodies, isPacked: true), log, rows)
          logs[log].dropped.remove(first..<first + block)
          changedLogs.insert(log)
          hasGaps = logs.contains { !$0.dropped.isEmpty }
          filled += Int(block)
          try freeNeeds(after: log, first..<first + block, rows)
        }
        first += block
      }
    }
    return filled
  }
}
