internal import Dispatch

/// Builds and removes indexes in the background, in short writes between those of others.
final class IndexBuilder: Sendable {
  private struct State {
    weak var database: Database?
    var isAsked = false
    var isRunning = false
    var isPaused = false
  }

  private let state = Monitor(State())
  private let queue = DispatchQueue(label: "OfflineTree.IndexBuilder", qos: .utility)
  /// Nanoseconds that a write of the builder may take.
  static let batchTime: UInt64 = 40_000_000

  func attach(_ database: Database) { state.withLock { $0.database = database } }

  /// Nothing is built in the background while this is set, so that a test can do so itself.
  var isPaused: Bool {
    get { state.withLock { $0.isPaused } }
    set {
      state.withLock { $0.isPaused = newValue }
      startIfAsked()
    }
  }

  /// There is work, once what is being written is durable.
  func ask() { state.withLock { $0.isAsked = true } }

  /// Begins with what was asked for, unless it is at it; returns at once.
  func startIfAsked() {
    let starts = state.withLock { state in
      guard state.isAsked, !state.isRunning, !state.isPaused, state.database != nil else { return false }
      state.isRunning = true
      return true
    }
    if starts { queue.async { self.work() } }
  }

  /// One write, and what is left in another turn: nobody's database is held for longer.
  private func work() {
    let database = state.withLock { state in
      state.isAsked = false
      return state.database
    }
    var isMore = false
    if let database {
      do {
        isMore = try database.workOnIndexes()
      } catch let error as TreeError where error.code == .unavailable {
        // Closed meanwhile: it goes on when the home is opened again.
      } catch {
        database.warn("the indexes of \(database.home) cannot be built: \(error)")
      }
    }
    state.withLock { state in
      state.isRunning = false
      if isMore { state.isAsked = true }
    }
    startIfAsked()
  }
}

extension Database {
  /// One short write for the indexes.
  /// - Returns: Whether more is left.
  func workOnIndexes() throws -> Bool {
    try queue.submit { [environment, queue] rows, state in
      let end = environment.monotonicClock() + IndexBuilder.batchTime
      return try state.workOnIndexes(rows) { queue.isCallerWaiting || environment.monotonicClock() >= end }
    }
  }
}
