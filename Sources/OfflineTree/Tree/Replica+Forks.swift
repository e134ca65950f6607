/// Two changes at one number of a log: each branch becomes a log of its own (docs/merge.md).
extension Replica {
  /// Makes room for a second change at `seq` of a log or branch.
  ///
  /// What is there from `seq` on moves to a branch, the rest stays under its old name, and everything is applied anew
  /// under the new names: forks are rare, and there is one way to apply a change. One more branch where others part
  /// already changes no name, and costs nothing.
  ///
  /// - Returns: The index of the new branch, which is empty.
  mutating func fork(
    log: Int, at seq: UInt64, previous: Bytes32, hash: Bytes32, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Int {
    try closeRun(rows)
    recentHashes = nil
    let introduced = logs[log].introduced
    let isFirst = logs[log].count > seq
    if isFirst, hasGaps { throw Replica.missingEverything }
    if isFirst {
      let first = try storedHash(of: Dot(log: log, seq: seq), rows)
      let branch = makeBranch(introduced, parent: log, at: seq, previous: previous, first: first)
      for index in indices[introduced] ?? []
      where index != branch && logs[index].parent == log && logs[index].first > seq {
        logs[index].parent = branch
        changedLogs.insert(index)
      }
      logs[branch].count = logs[log].count
      logs[log].count = seq
      logs[branch].packedCount = seq
      logs[log].packedCount = min(logs[log].packedCount, seq)
      try moveRuns(from: log, to: branch, at: seq, rows)
      try moveSignatures(from: log, to: branch, at: seq, rows)
      if currentLog == log { currentLog = branch }
    }
    let branch = makeBranch(introduced, parent: log, at: seq, previous: previous, first: hash)
    if (indices[introduced] ?? []).contains(where: { logs[$0].device == device }) { mustLeave = true }
    if isFirst { try rebuild(rows) }
    return branch
  }

  private mutating func makeBranch(
    _ introduced: LogID, parent: Int, at seq: UInt64, previous: Bytes32, first: Bytes32
  ) -> Int {
    let id = Introduction.branchID(log: introduced, first: first)
    let branch = addLog(LogEntry(introduced: introduced, id: id, parent: parent, first: seq, head: previous))
    setDevice(of: branch, to: logs[parent].device)
    logs[branch].signedCount = seq
    logs[branch].packedCount = seq
    logs[branch].deviceName = logs[parent].deviceName
    return branch
  }

  /// Gives the changes of a log from `seq` on to another one.
  private func moveRuns(
    from log: Int, to branch: Int, at seq: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var moved: [StoredRun] = []
    try Replica.forEachRun(log, from: seq, rows) { run throws(TreeError) in
      moved.append(run)
      return true
    }
    for run in moved {
      try rows.delete(.run, RowKey.of(log, run.first))
      var kept = OpenRun(log: log, first: run.first, hashBefore: run.hashBefore)
      let cut = max(run.first, seq)
      var rest = OpenRun(
        log: branch, first: cut, hashBefore: run.hash(before: cut, introduced: logs[log].introduced))
      for (offset, body) in run.bodies.enumerated() {
        if run.first + UInt64(offset) < seq { kept.append(body) } else { rest.append(body) }
      }
      if !kept.ends.isEmpty { try rows.put(.run, RowKey.of(log, kept.first), kept.row) }
      try rows.put(.run, RowKey.of(branch, rest.first), rest.row)
    }
  }

  /// Forgets everything that follows from the changes, and applies them anew.
  ///
  /// What ends say is taken from the judgement that stands; if the names of branches change it, once more.
  mutating func rebuild(_ rows: borrowing StoreTransaction) throws(TreeError) {
    mustRebuild = false
    authority.settlePeople()
    while true {
      try applyEverything(rows)
      guard var collected = rebuilding else { throw TreeError(.internal, "nothing was collected in a rebuild") }
      rebuilding = nil
      collected.judge()
      let isSame = collected.agrees(with: authority)
      authority = collected
      if isSame { break }
    }
    authorityVersion += 1
    metaChanged = true
    findStrangers()
    try storeAuthority(rows)
  }

  private mutating func applyEverything(_ rows: borrowing StoreTransaction) throws(TreeError) {
    rebuilding = Authority()
    if let genesis { rebuilding?.adopt(genesis) }
    for table in [Table.tree, .hidden, .priority, .file, .rival, .deep, .part, .vote, .hash, .context, .void] {
      try rows.clear(table)
    }
    try emptyIndexes(rows)
    hash = StateHash()
    counters = CounterCache()
    frontier = [:]
    lastCounter = 0
    touched.insertEverything()
    let counts = logs.map(\.count)
    for index in logs.indices {
      logs[index].count = logs[index].first
      logs[index].head = .zero
      logs[index].ceiling = nil
      logs[index].wallTime = 0
      logs[index].context = Context()
      changedLogs.insert(index)
    }
    var opened = OpenedRuns()
    while try rebuildRound(counts, &opened, rows) {}
    for index in logs.indices where logs[index].count != counts[index] {
      throw TreeError(.damaged, "the log \(logs[index].introduced) cannot be applied anew")
    }
  }

  /// Applies of each log what can be applied; whether there was anything.
  private mutating func rebuildRound(
    _ counts: [UInt64], _ opened: inout OpenedRuns, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    var moved = false
    for log in logs.indices where logs[log].count < counts[log] {
      if let parent = logs[log].parent, logs[parent].count < logs[log].first { continue }
      guard let run = try opened.run(log, holding: logs[log].count, rows) else { continue }
      if run.isGap { throw Replica.missingEverything }
      if try reapply(run, rows) { moved = true }
    }
    return moved
  }

  private mutating func reapply(_ run: StoredRun, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    var moved = false
    guard run.first <= logs[run.log].count else { return false }
    // What was applied of the run by an earlier round is not hashed again.
    let applied = Int(logs[run.log].count - run.first)
    var previous = applied > 0 ? logs[run.log].head : run.hashBefore
    for (offset, body) in run.bodies.enumerated().dropFirst(applied) {
      let seq = run.first + UInt64(offset)
      let hash = Change.hash(log: logs[run.log].introduced, seq: seq, previous: previous, body: body)
      defer { previous = hash }
      guard case .change(let change, let fault) = try Change.decode(body) else { return moved }
      var parents: [Dot] = []
      for parent in change.parents {
        guard let dot = try find(parent.log, parent.seq, rows, matches: { $0.prefix16 == parent.hash }) else {
          return moved
        }
        parents.append(dot)
      }
      let dot = Dot(log: run.log, seq: seq)
      _ = try apply(change, fault: fault, parents: parents, at: dot, previous: previous, hash: hash, rows)
      moved = true
    }
    return moved
  }
}
