internal import Dispatch

/// Tells everybody in this process of commits, this process's and others'.
final class CommitHub: Sendable {
  private struct State {
    var handlers: [UInt64: @Sendable () -> Void] = [:]
    var last: UInt64 = 0
    var watcher: WakeWatcher?
  }

  private let state = Monitor(State())
  private let wake: WakeFile
  private let home: Home
  private let queue = DispatchQueue(label: "OfflineTree.CommitHub")
  /// The number of the last commit that anybody told of before this process began.
  let lastKnownCommit: UInt64

  init(_ home: Home) throws(TreeError) {
    self.home = home
    wake = try WakeFile(home)
    lastKnownCommit = try wake.lastCommit()
  }

  /// Called on the writer's thread after each commit. Others hear of it when they look next if the file cannot be
  /// written, for which there is nobody to tell.
  func committed(_ transaction: UInt64) {
    try? wake.bump(transaction)
    notify()
  }

  private func notify() {
    queue.async { [self] in
      for handler in state.withLock({ Array($0.handlers.values) }) { handler() }
    }
  }

  /// Calls `handler` on a queue of its own after each commit, until the token ends; several commits may be one call.
  func observe(_ handler: @escaping @Sendable () -> Void) throws(TreeError) -> CommitObservation {
    let hasWatcher = state.withLock { $0.watcher != nil }
    if !hasWatcher {
      let watcher = try WakeWatcher(home) { [weak self] in self?.notify() }
      state.withLock { $0.watcher = watcher }
    }
    let number = state.withLock { state in
      state.last += 1
      state.handlers[state.last] = handler
      return state.last
    }
    return CommitObservation { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: UInt64) {
    state.withLock { $0.handlers[number] = nil }
  }
}

/// Lasts as long as commits are told; ends with `cancel` or the last reference.
package final class CommitObservation: Sendable {
  private let end: @Sendable () -> Void

  init(_ end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }

  package func cancel() { end() }
}
