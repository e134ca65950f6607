import OfflineTree
import TestSupport

/// Somebody who watches a device's tree, and what was heard.
final class TreeWatcher: Sendable {
  private struct State {
    var last: Value?
    var isOver = false
  }

  private let state: Monitor<State>
  private let task: Task<Void, Never>

  init(_ database: Database) {
    let state = Monitor(State())
    self.state = state
    let values = database.values(at: .root)
    task = Task {
      do {
        for try await value in values { state.change { $0.last = value } }
      } catch {}
      state.change { $0.isOver = true }
    }
  }

  func stop() { task.cancel() }

  /// What was heard last.
  var last: Value? { state.withLock { $0.last } }
}
