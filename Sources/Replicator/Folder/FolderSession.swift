internal import Dispatch
internal import OfflineTree

/// A shared folder that stays in exchange: looked at when a watcher or a commit says so, and now and then anyway.
final class FolderSession: @unchecked Sendable {
  typealias Finished = @Sendable (SyncReport, TreeError?, _ isQuiet: Bool) -> Void

  private static let shortestDelay = 1.0
  private static let longestDelay = 60.0

  // Everything below `queue` is touched on it only, which is what makes this class Sendable.
  private let queue: DispatchQueue
  private let exchange: FolderExchange
  private let finished: Finished
  private let timer: any DispatchSourceTimer
  private var watcher: FolderWatcher?
  private var watchProblem: TreeError?
  private var delay = shortestDelay
  private var due = DispatchTime.distantFuture
  private var lastEnd = DispatchTime(uptimeNanoseconds: 0)
  private var isStopped = false
  private var isPaused = false

  /// - Parameter finished: Called after each exchange, on a queue of this session.
  init(
    database: Database, root: String, events: @escaping @Sendable (PeerEvent) -> Void,
    finished: @escaping Finished
  ) {
    queue = DispatchQueue(label: "OfflineTree.FolderSession")
    timer = DispatchSource.makeTimerSource(queue: queue)
    exchange = FolderExchange(database: database, root: root, events: events)
    self.finished = finished
  }

  deinit { timer.cancel() }

  /// - Parameter isPaused: Does it wait for `setPaused(false)` with its first exchange?
  func start(isPaused: Bool = false) {
    self.isPaused = isPaused
    timer.setEventHandler { [weak self] in self?.look() }
    timer.activate()
    queue.async { self.schedule(at: .now()) }
  }

  /// Ends the session; returns when the exchange that is going on is done.
  func stop() {
    queue.sync {
      isStopped = true
      watcher = nil
      timer.cancel()
    }
  }

  /// While it is paused no exchange begins; one that is going on ends.
  func setPaused(_ isPaused: Bool) {
    queue.async {
      guard self.isPaused != isPaused else { return }
      self.isPaused = isPaused
      if !isPaused { self.schedule(at: .now()) }
    }
  }

  /// The database has something new. Commits in quick succession share one exchange, and so one file.
  func databaseChanged() {
    queue.async { self.schedule(at: max(.now() + 0.02, self.lastEnd + 0.25)) }
  }

  private func folderChanged() { schedule(at: max(.now() + 0.02, lastEnd + 0.1)) }

  private func schedule(at time: DispatchTime) {
    guard time < due, !isStopped else { return }
    due = time
    timer.schedule(deadline: time, leeway: .milliseconds(10))
  }

  private func look() {
    guard !isStopped else { return }
    due = .distantFuture
    if isPaused { return }
    watch()
    var (report, error) = exchange.exchange()
    if let watchProblem {
      report.notes.append("\(watchProblem). Changes of the folder are still found, within a minute.")
    }
    watch()
    let isQuiet = exchange.isQuiet || error != nil
    delay = isQuiet ? min(delay * 2, Self.longestDelay) : Self.shortestDelay
    lastEnd = .now()
    schedule(at: lastEnd + delay)
    finished(report, error, exchange.isQuiet)
  }

  /// Watches the root and what others write to; what comes between a look and its watch, the next look finds.
  private func watch() {
    watchProblem = nil
    do throws(TreeError) {
      if watcher == nil {
        watcher = try FolderWatcher(queue: queue) { [weak self] in self?.folderChanged() }
      }
      for folder in [exchange.root] + exchange.foldersOfOthers() { try watcher?.watch(folder) }
    } catch {
      // The exchange itself says so if the folder is gone.
      if error.code != .notFound { watchProblem = error }
    }
  }
}
