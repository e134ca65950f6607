import Dispatch
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

  private static let executor = WatchingExecutor()

  init(_ database: Database) {
    let state = Monitor(State())
    self.state = state
    let values = database.values(at: .root)
    // Not on the shared pool, which histories themselves may block.
    task = Task(executorPreference: Self.executor) {
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

/// A queue of its own for those who watch.
private final class WatchingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "Simulation.TreeWatcher")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
