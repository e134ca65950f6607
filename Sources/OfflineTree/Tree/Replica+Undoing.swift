/// What would be there without some of this device's last changes.
extension Replica {
  /// Of each log of this device the number of changes that somebody else may have: those that `held` says, and those
  /// that another device's change had seen. A log with branches counts as held.
  func heldCounts(_ held: [LogID: UInt64]) -> [Int: UInt64] {
    let own = indicesByDevice[device] ?? []
    var counts: [Int: UInt64] = [:]
    for index in own {
      let isBranched = (indices[logs[index].introduced]?.count ?? 0) > 1
      counts[index] = isBranched ? logs[index].count : held[logs[index].introduced] ?? 0
    }
    for (index, log) in logs.enumerated() where log.device != device && !log.isEmpty {
      for entry in log.context.entries where counts[entry.log] != nil {
        counts[entry.log] = max(counts[entry.log] ?? 0, entry.count)
      }
      if let parent = log.parent { counts[parent] = counts[parent].map { max($0, logs[index].first) } }
    }
    return counts
  }

  /// The operations of this device's changes from those counts on, which may all be undone.
  func operations(
    from counts: [Int: UInt64], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> (changes: Int, operations: [Operation]) {
    var operations: [Operation] = []
    var changes = 0
    for (log, count) in counts.sorted(by: { $0.key < $1.key }) {
      var seq = max(count, logs[log].first)
      while seq < logs[log].count {
        guard let run = try Replica.run(log, holding: seq, rows), let body = run.body(of: seq) else {
          throw Replica.missing(log, from: seq, through: seq)
        }
        if case .change(let change, _) = try Change.decode(body), !change.operations.isEmpty {
          operations += change.operations
          changes += 1
        }
        seq += 1
      }
    }
    return (changes, operations)
  }

  /// Does a change count only for who it is from, and what it says of members?
  func isLeftOut(_ dot: Dot) -> Bool { leftOut[dot.log].map { dot.seq >= $0 } ?? false }
}
