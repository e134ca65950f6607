internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The writer thread and its queue; `WriteQueue` is its door, and closes it when the last reference goes.
@safe
final class WriteWorker<State>: @unchecked Sendable {
  // `inbox` and `waiting` have locks of their own; the rest is touched only by the writer thread.
  private let inbox = Monitor(Inbox())
  private let waiting = Atomic<Int>(0)
  private let path: String
  private var group: WriteGroup<State>

  private struct Inbox {
    var jobs: [WriteJob<State>] = []
    /// The writer thread, once there was something to write.
    var thread: pthread_t?
    var isClosed = false
    var isJoined = false
  }

  init(_ group: WriteGroup<State>) {
    self.group = group
    path = group.store.path
  }

  var isCallerWaiting: Bool { waiting.load(ordering: .relaxed) > 0 }

  /// Stops a program that would wait for itself.
  func requireOutside() {
    let isInside = inbox.withLock { $0.thread.map { pthread_equal(pthread_self(), $0) != 0 } ?? false }
    precondition(!isInside, "submit was called from inside a closure of the same queue, which would wait for itself")
  }

  /// Starts the thread with the first job.
  func enqueue(_ job: WriteJob<State>) {
    let refusal = inbox.change { inbox -> TreeError? in
      if inbox.isClosed { return TreeError(.unavailable, "The database in \(path) is closed", advice: "Open it again") }
      if inbox.thread == nil {
        do throws(TreeError) {
          inbox.thread = try start()
        } catch {
          return error
        }
      }
      waiting.add(1, ordering: .relaxed)
      inbox.jobs.append(job)
      return nil
    }
    if let refusal { job.answer(refusal) }
  }

  private func start() throws(TreeError) -> pthread_t {
    var thread = pthread_t()
    let context = unsafe Unmanaged.passRetained(self as AnyObject)
    let code = unsafe pthread_create(&thread, nil, runWriter, context.toOpaque())
    if code == 0 { return thread }
    unsafe context.release()
    throw FileSystem.error(code, "cannot start the writer thread for", path)
  }

  func close() {
    let thread = inbox.change { inbox -> pthread_t? in
      inbox.isClosed = true
      if inbox.isJoined { return nil }
      inbox.isJoined = true
      return inbox.thread
    }
    guard let thread else { return }
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
