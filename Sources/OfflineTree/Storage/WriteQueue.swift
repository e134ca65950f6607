/// The one writer thread of a store: closures queue up, and each group of them is one commit.
///
/// The thread starts with the first closure. It takes what waits, begins one write transaction, runs each closure in a child transaction that sees those
/// before it, commits once, and only then answers each caller, errors too. A closure that throws undoes its own writes
/// and nobody else's.
///
/// `State` is what the thread keeps in memory between commits. Each closure changes a copy, which counts only if the
/// closure returns: make it cheap to copy. It is loaded anew when another process has committed meanwhile, and after a
/// commit that failed.
///
/// **A closure may run twice**, in a new transaction and with the state of then, when the map had to grow or a neighbour
/// broke the transaction: let it change nothing but the transaction and its state.
package final class WriteQueue<State>: Sendable {
  private let worker: WriteWorker<State>

  /// - Parameters:
  ///   - known: The state, and the number of the commit for which it holds, if it was read already.
  ///   - load: Reads the state; may write as well. Called on the writer thread, inside the first group's transaction.
  ///   - beforeCommit: Called on the writer thread at the end of each group that wrote something, in its transaction.
  ///   - afterCommit: Called on the writer thread with the number of each commit, before the callers are answered.
  package init(
    _ store: Store, known: (state: State, transaction: UInt64)? = nil,
    load: @escaping @Sendable (borrowing StoreTransaction) throws -> State,
    beforeCommit: @escaping @Sendable (borrowing StoreTransaction, inout State) throws -> Void = { _, _ in },
    afterCommit: @escaping @Sendable (_ transaction: UInt64) -> Void = { _ in }
  ) {
    worker = WriteWorker(
      WriteGroup(store: store, known: known, load: load, beforeCommit: beforeCommit, afterCommit: afterCommit))
  }

  deinit { worker.close() }

  /// Queues `body`, and returns what it returned once that is on the disk. Blocks the calling thread.
  ///
  /// Never call it from inside a closure of the same queue.
  ///
  /// - Throws: What `body` throws, or why the commit failed; then nothing of it is stored. `.unavailable` after `close`,
  ///   or if the thread cannot be started.
  package func submit<R: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreTransaction, inout State) throws -> R
  ) throws -> R {
    worker.requireOutside()
    let answer = Monitor<Result<R, any Error>?>(nil)
    worker.enqueue(WriteJob(body) { result in answer.change { $0 = result } })
    return try answer.wait { $0 }.get()
  }

  /// Queues `body`, and returns what it returned once that is on the disk. Suspends, and holds no thread meanwhile.
  ///
  /// A cancelled task waits like any other: the closure runs, and its outcome is returned.
  package func submit<R: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreTransaction, inout State) throws -> R
  ) async throws -> R {
    worker.requireOutside()
    return try await withCheckedThrowingContinuation { continuation in
      worker.enqueue(WriteJob(body) { result in continuation.resume(with: result) })
    }
  }

  /// Queues `body` and returns. `answer` is called on the writer thread once that is on the disk, or with what kept it
  /// from being stored; on the calling thread if the queue is closed.
  package func enqueue<R: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreTransaction, inout State) throws -> R,
    answer: @escaping @Sendable (Result<R, any Error>) -> Void
  ) {
    worker.enqueue(WriteJob(body, answer: answer))
  }

  /// Whether a closure waits for its turn: a long one then ends early, and goes on in another.
  package var isCallerWaiting: Bool { worker.isCallerWaiting }

  /// Runs what is queued, then ends the thread and waits for it. Further calls do nothing; `submit` then throws.
  package func close() { worker.close() }
}
