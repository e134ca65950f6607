extension Database {
  /// The value at a path now, and each new one: of this device's writes, peers' changes and other processes' commits.
  ///
  /// A slow reader gets the newest value and misses those between. Nothing is told before it is durable. The sequence
  /// ends with the task that reads it, or throws what keeps the value from being read.
  public func values(at path: Path) -> AsyncThrowingStream<Value, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observer = ValueObserver(self, path, continuation)
      observer.start()
      continuation.onTermination = { _ in observer.stop() }
    }
  }

  /// Wakes whoever follows this home, in all processes: something beside the tree has changed.
  package func tellOthers() throws(TreeError) {
    // On the writer's thread and in its transaction: nobody commits meanwhile, so the number is that of the last commit.
    try submit { [commits] rows, _ in commits.committed(rows.identifier - 1) }
  }
}

/// Follows the commit records, and reads the value again when one has touched its path.
private final class ValueObserver: Sendable {
  private struct State {
    var lastCommit: UInt64?
    var value: Value?
    var observation: CommitObservation?
    var isStopped = false
  }

  private let database: Database
  private let path: PathKey
  private let continuation: AsyncThrowingStream<Value, any Error>.Continuation
  private let state = Monitor(State())

  init(_ database: Database, _ path: Path, _ continuation: AsyncThrowingStream<Value, any Error>.Continuation) {
    self.database = database
    self.path = PathKey(path)
    self.continuation = continuation
  }

  func start() {
    do {
      let observation = try database.onCommit { [self] in look() }
      state.withLock { $0.observation = observation }
      look()
    } catch {
      continuation.finish(throwing: error)
    }
  }

  func stop() {
    state.withLock {
      $0.isStopped = true
      $0.observation?.cancel()
      $0.observation = nil
    }
  }

  private func look() {
    do {
      try state.withLock { state in
        guard !state.isStopped else { return }
        let last = state.lastCommit
        let (commit, value) = try database.view { rows, replica -> (UInt64, Value?) in
          let isTouched = try last.map { try replica.hasTouched(path, after: $0, rows) } ?? true
          return (replica.commitNumber, isTouched ? try TreeReader.value(at: path, rows) : nil)
        }
        state.lastCommit = commit
        guard let value, value != state.value else { return }
        state.value = value
        continuation.yield(value)
      }
    } catch {
      continuation.finish(throwing: error)
    }
  }
}

extension Replica {
  /// Has a commit after number `last` touched the path, something above it or something below it?
  func hasTouched(
    _ path: PathKey, after last: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    guard commitNumber > last else { return false }
    guard commitNumber - last <= Replica.commitRing else { return true }
    for number in last + 1...commitNumber {
      // A record that the ring has dropped may have touched anything.
      guard let record = try rows.get(.commit, RowKey.commit(number)) else { return true }
      var reader = ByteReader(record)
      while !reader.isAtEnd {
        let touched = PathKey(trusted: try reader.prefixed("touched path", limit: reader.remaining))
        if touched.isPrefix(of: path) || path.isPrefix(of: touched) { return true }
      }
    }
    return false
  }
}
