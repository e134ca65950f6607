internal import Dispatch

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// ^C and SIGTERM, as the end of something that would otherwise go on.
enum Interrupt {
  /// Runs `body` until it ends, or cancels it when the user presses ^C or the system asks the program to end.
  ///
  /// A second ^C ends the program at once: every commit that was told is durable.
  static func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let (signals, sources) = await watch()
    defer { for source in sources { source.cancel() } }
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await body() }
      group.addTask { for await _ in signals { return } }
      do {
        try await group.next()
        group.cancelAll()
        try await group.waitForAll()
      } catch is CancellationError {
        return
      }
    }
  }

  /// Returns when both are watched: before, a signal would be lost.
  private static func watch() async -> (AsyncStream<Void>, [any DispatchSourceSignal]) {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let (registrations, registration) = AsyncStream.makeStream(of: Void.self)
    let sources = [SIGINT, SIGTERM].map { number in
      _ = signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        _ = signal(number, SIG_DFL)
        continuation.yield()
      }
      source.setRegistrationHandler { registration.yield() }
      source.resume()
      return source
    }
    var iterator = registrations.makeAsyncIterator()
    for _ in sources { await iterator.next() }
    return (stream, sources)
  }
}
