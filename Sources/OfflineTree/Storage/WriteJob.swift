/// One caller's closure in the queue, and the way to answer it.
///
/// Handed from the caller to the writer thread, and touched by nobody else after that.
struct WriteJob<State>: Sendable {
  /// Runs the closure and keeps its outcome for `answer`.
  let run: @Sendable (borrowing StoreTransaction, inout State) throws -> Void
  /// Answers the caller, exactly once: with the error, or with what the last run returned.
  let answer: @Sendable ((any Error)?) -> Void

  init<R: Sendable>(
    _ body: @escaping @Sendable (borrowing StoreTransaction, inout State) throws -> R,
    answer: @escaping @Sendable (Result<R, any Error>) -> Void
  ) {
    let outcome = Outcome<R>()
    run = { transaction, state in outcome.value = try body(transaction, &state) }
    self.answer = { error in
      if let error { return answer(.failure(error)) }
      guard let value = outcome.value else { preconditionFailure("A closure was answered before it ran") }
      answer(.success(value))
    }
  }

  /// What the closure returned. Touched only by the writer thread, or by the caller whose closure was refused.
  private final class Outcome<R: Sendable>: @unchecked Sendable {
    var value: R?
  }
}
