public import Dispatch

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// What an app sets once for a database: where it is called, and who hears of what nobody waits for.
struct DatabaseHandlers: Sendable {
  var callbackQueue = DispatchQueue.main
  var actingUser: (@Sendable () throws -> Key?)?
  var failures: @Sendable (any Error, Path) -> Void = { error, path in
    DatabaseHandlers.say("OfflineTree: a write to /\(path) failed: \(error)")
  }
  var warnings: @Sendable (String) -> Void = { DatabaseHandlers.say("OfflineTree: \($0)") }

  /// One line to standard error.
  static func say(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = unsafe line.withUnsafeBytes { unsafe write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}

extension Database {
  /// Where completion blocks and observers are called. The main queue unless it is set.
  public var callbackQueue: DispatchQueue {
    get { handlers.withLock { $0.callbackQueue } }
    set { handlers.withLock { $0.callbackQueue = newValue } }
  }

  /// Called with what kept a write from being stored that nobody waited for, and the path that it was for.
  ///
  /// On a thread of the library: return soon. One line to standard error unless it is set.
  public var failures: @Sendable (any Error, Path) -> Void {
    get { handlers.withLock { $0.failures } }
    set { handlers.withLock { $0.failures = newValue } }
  }

  /// Called with what a developer should know, such as a query without an index; each text once in a process.
  ///
  /// On a thread of the library: return soon. One line to standard error unless it is set.
  public var warnings: @Sendable (String) -> Void {
    get { handlers.withLock { $0.warnings } }
    set { handlers.withLock { $0.warnings = newValue } }
  }

  /// As whom references write: whoever this returns at the time of the call; nobody where it is nil.
  package var actingUser: (@Sendable () throws -> Key?)? {
    get { handlers.withLock { $0.actingUser } }
    set { handlers.withLock { $0.actingUser = newValue } }
  }

  /// Warns once in a process of each text.
  package func warn(_ text: String) {
    let isNew = Self.warned.withLock { warned in
      // A program that asks for ever new things is told of the first ones.
      warned.count < 1_024 && warned.insert(text).inserted
    }
    if isNew { warnings(text) }
  }

  private static let warned = Monitor<Set<String>>([])
}

extension Database {
  /// Queues `body` and returns: what `write` does, for callers that may not wait.
  ///
  /// Writes are made in the order of the calls. `completion` is called on a thread of the library, once what was written
  /// is durable, or with what `body` threw or kept it from being stored.
  package func write<R: Sendable>(
    as user: Key? = nil, _ body: @escaping @Sendable (WriteTransaction) throws -> R,
    completion: @escaping @Sendable (Result<R, any Error>) -> Void
  ) {
    queue.enqueue(
      { [self] rows, state in try perform(user, false, body, rows, &state) },
      answer: { [weak self] result in
        if case .failure(let error) = result { self?.noteNeedLater(of: error) }
        completion(result)
      })
  }
}
