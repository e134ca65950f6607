internal import Dispatch

/// A value that is touched by one thread at a time.
///
/// A queue guards it and not Synchronization's `Mutex`, whose waiting the thread sanitizer does not see on Linux.
final class Guarded<Value>: @unchecked Sendable {
  // Touched on `queue` only.
  private var value: Value
  private let queue = DispatchQueue(label: "OfflineTree.guarded")

  init(_ value: Value) { self.value = value }

  /// Runs `body` alone. It must not come back here, and must not block.
  func withLock<R>(_ body: (inout Value) throws -> R) rethrows -> R {
    try queue.sync { try body(&value) }
  }
}
