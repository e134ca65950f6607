/// Keeping, dropping and fetching history.
extension Database {
  /// How much history this device keeps.
  ///
  /// Until it is set, an owner's device keeps all, and others keep thirty days.
  public func historyRetention() throws(TreeError) -> HistoryRetention {
    try view { rows, replica in try replica.retention(rows) }
  }

  /// Sets how much history this device keeps, from the next compaction on.
  ///
  /// A device counts as a keeper for others once it has everything, and no other home of it, a copy, has said that it
  /// does not keep; then the one whose user says so last counts.
  ///
  /// - Throws: `invalidArgument` for fewer than 0 days, or more than `Limits.historyDays`.
  public func setHistoryRetention(_ retention: HistoryRetention) throws(TreeError) {
    if case .days(let days) = retention, days < 0 || days > Limits.historyDays {
      throw TreeError(
        .invalidArgument, "\(days) days of history cannot be kept",
        advice: "Name a number from 0 to \(Limits.historyDays), or keep all.")
    }
    try submit { rows, state in
      try rows.put(.meta, Replica.MetaKey.retention, retention.encoded)
      if retention == .all { try state.adoptLastWord(rows) }
    }
  }

  /// Sets how many changes are dropped and fetched together: for tests, which have few.
  /// - Throws: `refused` once something was dropped.
  package func setHistoryBlock(_ count: UInt64) throws(TreeError) {
    try submit { rows, state in
      guard !state.hasGaps, (1...Limits.historyBlock).contains(count) else {
        throw TreeError(.refused, "blocks of history stay as they are once one was dropped")
      }
      state.block = count
      var writer = ByteWriter()
      writer.varint(count)
      try rows.put(.meta, Replica.MetaKey.block, writer.bytes)
    }
  }

  /// What is kept, what is dropped, and who keeps all.
  ///
  /// - Complexity: O(history that is kept).
  public func history() throws(TreeError) -> HistoryStatus {
    try view { rows, replica in
      var status = HistoryStatus()
      status.changes = replica.logs.reduce(0) { $0 + $1.count - $1.first }
      status.droppedChanges = replica.logs.reduce(0) { $0 + $1.dropped.count }
      status.waitingChanges = try replica.changesWaitingForHistory(rows)
      status.keepers = replica.keepers
      try rows.withCursor(.run) { (cursor) throws(TreeError) in
        var isFound = try cursor.first()
        while isFound {
          let (form, bytes) = (StoredRun.form(of: cursor.value), cursor.value.byteCount)
          switch form {
          case .plain: status.plainBytes += bytes
          case .packed: status.packedBytes += bytes
          case .gap: status.gapBytes += bytes
          }
          isFound = try cursor.next()
        }
      }
      return status
    }
  }

  /// Compresses history, and drops what the retention lets go and every keeper has; in short write transactions.
  ///
  /// - Parameters:
  ///   - keepers: What homes of the keepers are known to hold. A keeper of which there is none holds nothing.
  ///   - progress: Called now and then with logs done and logs in all.
  package func compact(
    keepers: [KeeperClock], progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(TreeError) -> CompactionReport {
    try compactAll(keepers, progress)
  }

  /// What waiting changes need of what was dropped; everything that was, when this device is to keep all. Oldest
  /// numbers first.
  package func wantedHistory(limit: Int) throws(TreeError) -> [HistoryGap] {
    try view { rows, replica in try replica.wantedHistory(limit: limit, rows) }
  }

  /// The changes of a gap of somebody else's, unsigned; nil if not all of them are here.
  package func historyRun(_ gap: HistoryGap) throws(TreeError) -> ChangeRun? {
    let tip = LogPosition(log: gap.log, seq: gap.last, hash: gap.head)
    guard gap.first <= gap.last, gap.last - gap.first < Limits.historyBlock else { return nil }
    return try viewForOthers { rows, replica in
      guard let end = try replica.find(tip, rows),
        var run = try replica.run(
          endingAt: tip, from: gap.first, maximumBytes: Limits.historyBlockBytes, rows),
        run.last == gap.last, run.hashBefore == gap.hashBefore
      else { return nil }
      run.epochs = try replica.epochs(of: end, rows)
      run.epoch = self.epochs(replica).sealing(run.epochs, replica.authority)
      return run
    }
  }

  /// Takes back what was dropped, where it is exactly that, and lets go on what waited for it.
  ///
  /// - Parameter runs: Unsigned; each may hold several gaps, or more than one.
  package func fill(_ runs: [ChangeRun]) throws(TreeError) -> HistoryFill {
    var fill = HistoryFill()
    for run in runs where run.isWithinLimits && !run.bodies.isEmpty {
      let hashes = run.hashes
      fill.filled += try submit { rows, state in
        let filled = try state.fill(run, hashes, rows)
        try state.flush(rows)
        return filled
      }
    }
    if fill.filled > 0 { fill.reception = try receive([], keepBlocked: true) }
    return fill
  }

  /// Does `body`; where it lacks dropped history, notes that it is wanted, so that the act succeeds when it is there.
  func noting<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch {
      try noteNeed(of: error)
      throw error
    }
  }

  func noteNeed(of error: any Error) throws {
    guard let missing = (error as? TreeError)?.missing, !missing.isEmpty else { return }
    try queue.submit { rows, state in try state.noteNeed(of: missing, by: Replica.ownAct, rows) }
  }

  /// The same without waiting for it; what fails then is told like a write that nobody waits for.
  func noteNeedLater(of error: any Error) {
    guard let missing = (error as? TreeError)?.missing, !missing.isEmpty else { return }
    queue.enqueue(
      { rows, state in try state.noteNeed(of: missing, by: Replica.ownAct, rows) },
      answer: { [weak self] result in
        if case .failure(let error) = result { self?.failures(error, .root) }
      })
  }
}
