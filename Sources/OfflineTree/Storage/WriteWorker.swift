internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The writer thread and its queue; `WriteQueue` is its door, and closes it when the last reference goes.
@safe
final class WriteWorker<State>: @unchecked Sendable {
  // `inbox` and `waiting` have locks of their own; `thread` is set before anybody else sees the worker; the rest is
  // touched only by the writer thread.
  private let inbox = Monitor(Inbox())
  private let waiting = Atomic<Int>(0)
  private var thread = pthread_t()
  private var group: WriteGroup<State>

  private struct Inbox {
    var jobs: [WriteJob<State>] = []
    var isClosed = false
    var isJoined = false
  }

  init(
    _ store: Store, load: @escaping @Sendable (borrowing StoreTransaction) throws -> State,
    afterCommit: @escaping @Sendable (UInt64) -> Void
  ) {
    group = WriteGroup(store: store, load: load, afterCommit: afterCommit)
  }

  func start() throws(TreeError) {
    let context = unsafe Unmanaged.passRetained(self as AnyObject)
    let code = unsafe pthread_create(&thread, nil, runWriter, context.toOpaque())
    if code == 0 { return }
    unsafe context.release()
    inbox.change { $0.isJoined = true }
    throw FileSystem.error(code, "cannot start the writer thread for", group.store.path)
  }

  var isCallerWaiting: Bool { waiting.load(ordering: .relaxed) > 0 }

  func enqueue(_ job: WriteJob<State>) {
    precondition(
      pthread_equal(pthread_self(), thread) == 0,
      "submit was called from inside a closure of the same queue, which would wait for itself")
    let isAccepted = inbox.change { inbox in
      if inbox.isClosed { return false }
      waiting.add(1, ordering: .relaxed)
      inbox.jobs.append(job)
      return true
    }
    if !isAccepted {
      job.answer(
        TreeError(.unavailable, "The database in \(group.store.path) is closed", advice: "Open it again"))
    }
  }

  func close() {
    let isFirst = inbox.change { inbox in
      inbox.isClosed = true
      if inbox.isJoined { return false }
      inbox.isJoined = true
      return true
    }
    guard isFirst else { return }
    if pthread_equal(pthread_self(), thread) != 0 {
      // The last reference went inside a closure: the thread ends by itself once the queue is empty.
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  /// The thread's work: until the queue is closed and empty.
  fileprivate func drain() {
    while let jobs = inbox.wait({ Self.take(&$0) }) {
      let rest = group.commit(jobs) { self.waiting.subtract(1, ordering: .relaxed) }
      inbox.change { $0.jobs.insert(contentsOf: rest, at: 0) }
      // LMDB's lock between processes is not fair: give another one a chance before it is taken again at once.
      if isCallerWaiting { sched_yield() }
    }
  }

  /// Everything that waits, up to the limit of a group; `.some(nil)` at the end.
  private static func take(_ inbox: inout Inbox) -> [WriteJob<State>]?? {
    if inbox.jobs.isEmpty { return inbox.isClosed ? .some(nil) : nil }
    let jobs = Array(inbox.jobs.prefix(WriteGroup<State>.jobLimit))
    inbox.jobs.removeFirst(jobs.count)
    return jobs
  }
}

/// What a generic class can hand to `pthread_create`.
private protocol Draining: AnyObject {
  func run()
}

extension WriteWorker: Draining {
  fileprivate func run() { drain() }
}

private func runWriter(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context = unsafe context else { return nil }
  let worker = unsafe Unmanaged<AnyObject>.fromOpaque(context).takeRetainedValue()
  (worker as? any Draining)?.run()
  return nil
}
