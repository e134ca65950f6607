import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Results of work that runs on all processors, in the order of what it was made from.
enum OrderedResults {
  static func of<Result: Sendable>(
    _ source: LineSource, _ work: @escaping @Sendable (Int, [UInt8]) async throws -> Result
  ) -> AsyncThrowingStream<Result, any Error> {
    let next = Counter()
    let width = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    // Pulled, so that no more is under way than there are processors.
    let window = Window<Result>()
    return AsyncThrowingStream {
      while window.tasks.withLock({ $0.count }) < width, let document = try source.next() {
        let index = next.take()
        window.tasks.withLock { $0.append(Task { try await work(index, document) }) }
      }
      guard let first = window.tasks.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { return nil }
      return try await first.value
    }
  }

  private final class Window<Result: Sendable>: Sendable {
    let tasks = Monitor<[Task<Result, any Error>]>([])
  }
}

/// Hands out 0, 1, 2 …
final class Counter: Sendable {
  private let value = Monitor(0)

  func take() -> Int {
    value.withLock { value in
      defer { value += 1 }
      return value
    }
  }
}
