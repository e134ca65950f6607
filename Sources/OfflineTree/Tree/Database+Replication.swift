/// What replication calls.
extension Database {
  /// Reads, and turns what it throws into what it declares.
  func view<R>(_ body: (borrowing StoreTransaction, Replica) throws -> R) throws(TreeError) -> R {
    do {
      return try store.read { rows in try body(rows, try self.replica(rows)) }
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "a read failed", underlying: "\(error)")
    }
  }

  /// Reads what is for others: with relaxed durability it first comes to the disk, since nobody may hear of a change
  /// that a crash could undo.
  func viewForOthers<R>(
    _ body: (borrowing StoreTransaction, Replica) throws -> R
  ) throws(TreeError) -> R {
    let (result, commit) = try view { rows, replica in (try body(rows, replica), rows.identifier) }
    if store.durability == .relaxed, synced.withLock({ $0 < commit }) {
      try store.sync()
      synced.withLock { $0 = max($0, commit) }
    }
    return result
  }

  /// The tip of every log and branch.
  package func clock() throws(TreeError) -> VectorClock { try viewForOthers { _, replica in replica.clock } }

  /// Applies of the runs what can be applied, in causal order; durable when it returns.
  ///
  /// In as many commits as it takes for each to be short, so that a local writer need not wait for a long merge.
  /// - Parameters:
  ///   - keepBlocked: Keeps what cannot be applied yet, within limits, until what it waits for has come.
  ///   - isActive: This device then does by itself what is due, such as its introduction.
  package func receive(
    _ runs: [ChangeRun], keepBlocked: Bool, isActive: Bool = true
  ) throws(TreeError) -> Reception {
    var reception = try receivePart(runs, keepBlocked)
    while reception.isCut {
      reception.add(try receivePart(reception.unfinished, keepBlocked))
    }
    guard isActive else { return reception }
    if reception.mayIntroduce { reception.attempt { () throws(TreeError) in try introduceIfDue() } }
    if reception.changesAuthority { reception.attempt { () throws(TreeError) in try upkeep() } }
    return reception
  }

  /// Introduces a newcomer that knows the space and its invite by now.
  package func introduceIfDue() throws(TreeError) {
    let wallTime = environment.wallClock()
    try submit { rows, state in
      try state.introduceIfDue(wallTime, rows)
      try state.flush(rows)
    }
  }

  /// Nanoseconds of one commit of a merge; and of one while a local writer waits.
  private static let mergeTime: UInt64 = 250_000_000
  private static let mergeTimeBesideWriters: UInt64 = 50_000_000

  private func receivePart(
    _ runs: [ChangeRun], _ keepBlocked: Bool
  ) throws(TreeError) -> Reception {
    let (clock, queue) = (environment.monotonicClock, queue)
    return try submit { rows, state in
      let start = clock()
      let version = state.authorityVersion
      var reception = try state.receive(runs, keepBlocked: keepBlocked, rows) {
        let spent = clock() &- start
        return spent > (queue.isCallerWaiting ? Self.mergeTimeBesideWriters : Self.mergeTime)
      }
      reception.changesAuthority = state.authorityVersion != version
      reception.mayIntroduce = state.genesis != nil && !state.isIntroduced
      try state.flush(rows)
      return reception
    }
  }

  /// What a peer with that clock lacks.
  package func outgoing(to peer: VectorClock) throws(TreeError) -> Outgoing {
    try view { rows, replica in
      var outgoing = Outgoing()
      try outgoing.note(peer, replica, rows)
      return outgoing
    }
  }

  /// The changes of the chain that ends in `tip`, from `seq` on, as many as fit into `maximumBytes`, at least one.
  /// Nil if the tip is not here, or has no change from `seq` on before it.
  package func run(
    endingAt tip: LogPosition, from seq: UInt64, maximumBytes: Int
  ) throws(TreeError) -> ChangeRun? {
    try viewForOthers { rows, replica in
      try replica.run(endingAt: tip, from: seq, maximumBytes: maximumBytes, rows)
    }
  }

  /// Calls `handler` after each commit, of this or another process.
  package func onCommit(_ handler: @escaping @Sendable () -> Void) throws(TreeError) -> CommitObservation {
    try commits.observe(handler)
  }

  /// The last change of the log that this device writes to; nil before the first, or when a new log is due.
  package func ownPosition() throws(TreeError) -> LogPosition? {
    try view { _, replica in replica.mustLeave ? nil : replica.writtenPosition }
  }

  /// The last change of the log that this device wrote to last, also when a new log is due; nil before the first.
  ///
  /// This is what others' copies of the log are compared with: a home that knows itself to be a copy fetches what it
  /// forgot like any other, and its user is told.
  package func writtenPosition() throws(TreeError) -> LogPosition? {
    try view { _, replica in replica.writtenPosition }
  }

  /// The next write begins a new log: others hold a history of this one that this home has not written.
  ///
  /// - Parameter isProven: This device's own signature shows that there is more of its log. What others only say counts
  ///   while it has few logs: else they could drive it from one to the next until nobody delivers a further one.
  package func leaveLog(isProven: Bool) throws(TreeError) {
    try submit { rows, state in
      guard state.currentLog != nil, !state.mustLeave else { return }
      let own = (state.indicesByDevice[state.device] ?? []).count { state.logs[$0].first == 0 }
      guard isProven || own < Limits.logsLeftUnproven else { return }
      state.mustLeave = true
      state.metaChanged = true
      try state.flush(rows)
    }
  }

  /// Does this replica hold that change?
  package func hasChange(_ position: LogPosition) throws(TreeError) -> Bool {
    try view { rows, replica in try replica.find(position, rows) != nil }
  }

  /// The tips of a log's branches, and positions before each at distances 1, 2, 4, …: what finds where two replicas'
  /// branches part. Of dropped changes the next one whose hash is known.
  package func samples(of log: LogID) throws(TreeError) -> [LogPosition] {
    try viewForOthers { rows, replica in
      var positions: Set<LogPosition> = []
      for index in replica.indices[log] ?? [] where !replica.logs[index].isEmpty {
        var (chain, distance) = (index, UInt64(0))
        let tip = replica.logs[index].count - 1
        while distance <= tip {
          var seq = tip - distance
          while let parent = replica.logs[chain].parent, seq < replica.logs[chain].first { chain = parent }
          if replica.logs[chain].dropped.contains(seq) { seq += replica.block - 1 - seq % replica.block }
          let hash = try replica.storedHash(of: Dot(log: chain, seq: seq), rows)
          positions.insert(LogPosition(log: log, seq: seq, hash: hash))
          distance = distance == 0 ? 1 : distance * 2
        }
      }
      return positions.sorted()
    }
  }

  // MARK: Rows of the replicator's own

  package func record(remote key: [UInt8]) throws(TreeError) -> [UInt8]? {
    try view { rows, _ in try rows.get(.remote, key) }
  }

  package func setRecord(remote key: [UInt8], _ value: [UInt8]?) throws(TreeError) {
    try setRecords([(key, value)])
  }

  /// Sets several in one commit; those without a value are removed.
  package func setRecords(_ records: [(key: [UInt8], value: [UInt8]?)]) throws(TreeError) {
    try submit { rows, _ in
      for (key, value) in records {
        if let value { try rows.put(.remote, key, value) } else { try rows.delete(.remote, key) }
      }
    }
  }

  package func remoteRecords() throws(TreeError) -> [([UInt8], [UInt8])] {
    try view { rows, _ in
      try rows.withCursor(.remote) { (cursor) throws(TreeError) in
        var records: [([UInt8], [UInt8])] = []
        var isFound = try cursor.first()
        while isFound {
          records.append((cursor.keyBytes, cursor.valueBytes))
          isFound = try cursor.next()
        }
        return records
      }
    }
  }
}

extension Outgoing {
  /// The next runs that the peer lacks, each up to a signed head and within one epoch, about `maximumBytes` of them; empty when it has everything.
  package mutating func next(maximumBytes: Int, from database: Database) throws(TreeError) -> [ChangeRun] {
    var copy = self
    defer { self = copy }
    return try database.viewForOthers { rows, replica in
      var runs = try copy.next(maximumBytes: maximumBytes, replica, rows)
      if runs.isEmpty { return [] }
      let epochs = database.epochs(replica)
      for index in runs.indices { runs[index].epoch = epochs.sealing(runs[index].epochs, replica.authority) }
      return runs
    }
  }

  /// The peer has told more of what it has.
  package mutating func note(peerHas clock: VectorClock, from database: Database) throws(TreeError) {
    var copy = self
    defer { self = copy }
    try database.view { rows, replica in try copy.note(clock, replica, rows) }
  }

  /// A fork: sends the log's branches from the last position that both have, or from the beginning.
  package mutating func restart(log: LogID, common: LogPosition?, from database: Database) throws(TreeError) {
    var copy = self
    defer { self = copy }
    try database.view { rows, replica in try copy.restart(log, common: common, replica, rows) }
  }
}
