internal import Dispatch

/// Reading beside the pool of Swift's tasks, which is not for what may take long.
extension Database {
  private static let reading = DispatchQueue(label: "OfflineTree.reading", attributes: .concurrent)

  /// Calls `body` on another thread.
  func aside<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      Self.reading.async { continuation.resume(with: Result { try body() }) }
    }
  }

  /// The same, and then `completion` on the queue for callbacks.
  func aside<R: Sendable>(
    _ completion: @escaping @Sendable (Result<R, any Error>) -> Void, _ body: @escaping @Sendable () throws -> R
  ) {
    Self.reading.async {
      let result = Result { try body() }
      self.callbackQueue.async { completion(result) }
    }
  }

  /// Calls `body` with one consistent view, on another thread.
  func readAside<R: Sendable>(_ body: @escaping @Sendable (ReadTransaction) throws -> R) async throws -> R {
    try await aside { try self.read(body) }
  }

  /// The same, and then `completion` on the queue for callbacks.
  func readAside<R: Sendable>(
    _ completion: @escaping @Sendable (Result<R, any Error>) -> Void,
    _ body: @escaping @Sendable (ReadTransaction) throws -> R
  ) {
    aside(completion) { try self.read(body) }
  }
}
