/// Compacting in pieces, so that nobody waits long.
extension Database {
  /// Nanoseconds of one write transaction of a compaction.
  private static let compactionTime: UInt64 = 100_000_000

  /// What is left to do of a compaction.
  private struct Work: Sendable {
    var log = 0
    /// Of each log what may go goes first: it need not be compressed.
    var isDropping: Bool
    var next: UInt64 = 0
    var report = CompactionReport()
    let droppable: Replica.Droppable?

    init(_ droppable: Replica.Droppable?) {
      self.droppable = droppable
      isDropping = droppable != nil
    }
  }

  func compactAll(
    _ keepers: [KeeperClock], _ progress: (_ done: Int, _ all: Int) -> Void
  ) throws(TreeError) -> CompactionReport {
    let now = environment.wallClock()
    var work = Work(try view { rows, replica in try replica.droppable(keepers, now: now, rows) })
    var all = 0
    while true {
      let begun = work
      let (clock, queue) = (environment.monotonicClock, queue)
      let done: (work: Work, all: Int, isDone: Bool) = try submit { rows, state in
        let start = clock()
        var work = begun
        var isDone = false
        repeat {
          isDone = try !Database.step(&work, &state, rows)
        } while !isDone && clock() &- start < Self.compactionTime && !queue.isCallerWaiting
        try state.flush(rows)
        return (work, state.logs.count, isDone)
      }
      (work, all) = (done.work, done.all)
      progress(work.log, all)
      if done.isDone { return work.report }
    }
  }

  /// One piece of work; whether there may be more.
  private static func step(
    _ work: inout Work, _ state: inout Replica, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    guard work.log < state.logs.count else { return false }
    if let droppable = work.droppable, work.isDropping {
      if let next = try state.dropNext(work.log, from: work.next, droppable, &work.report, rows) {
        work.next = next
        return true
      }
      (work.isDropping, work.next) = (false, 0)
      return true
    }
    if try state.packNext(work.log, &work.report, rows) { return true }
    work.log += 1
    work.isDropping = work.droppable != nil
    return work.log < state.logs.count
  }
}
