extension Database {
  /// The value at a path now, and each new one: of this device's writes, peers' changes and other processes' commits.
  ///
  /// A slow reader gets the newest value and misses those between. Nothing is told before it is durable. The sequence
  /// ends with the task that reads it, or throws what keeps the value from being read.
  public func values(at path: Path) -> AsyncThrowingStream<Value, any Error> {
    let subscription = EventSubscription(
      DatabaseQuery(self, QueryLocation(path)), DataEventTypes(.value))
    return AsyncThrowingStream {
      guard case .one(let event)? = try await subscription.next().last else { return nil }
      return try event.snapshot.get()
    }
  }

  /// What `look` finds now, and after each commit of this home, by whatever process.
  ///
  /// A slow reader gets the newest and misses those between. Ends with the task that reads it, or throws what `look` does.
  /// - Parameter look: Called by one thread at a time, with what it left behind; returns nil where nothing is new.
  func stream<Memory: Sendable, Element: Sendable>(
    from memory: Memory, _ look: @escaping @Sendable (inout Memory) throws -> Element?
  ) -> AsyncThrowingStream<Element, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let follower = CommitFollower(memory, continuation, look)
      follower.start(following: self)
      continuation.onTermination = { _ in follower.stop() }
    }
  }

  /// Wakes whoever follows this home, in all processes: something beside the tree has changed.
  package func tellOthers() throws(TreeError) {
    // On the writer's thread and in its transaction: nobody commits meanwhile, so the number is that of the last commit.
    try submit { [commits] rows, _ in commits.committed(rows.identifier - 1) }
  }
}

/// Looks again after each commit, and tells what is new.
private final class CommitFollower<Memory: Sendable, Element: Sendable>: Sendable {
  typealias Continuation = AsyncThrowingStream<Element, any Error>.Continuation

  private struct State {
    var observation: CommitObservation?
    var isStopped = false
  }

  private let continuation: Continuation
  private let lookAgain: @Sendable (inout Memory) throws -> Element?
  /// Held while a value is looked for and told, so that the newest is told last.
  private let memory: Monitor<Memory>
  /// Never held while something is told: who ends the sequence may hold what telling waits for.
  private let state = Monitor(State())

  init(_ memory: Memory, _ continuation: Continuation, _ look: @escaping @Sendable (inout Memory) throws -> Element?) {
    self.continuation = continuation
    lookAgain = look
    self.memory = Monitor(memory)
  }

  func start(following database: Database) {
    do {
      let observation = try database.onCommit { [self] in look() }
      state.withLock { $0.observation = observation }
      look()
    } catch {
      continuation.finish(throwing: error)
    }
  }

  func stop() {
    let observation = state.withLock { state in
      state.isStopped = true
      defer { state.observation = nil }
      return state.observation
    }
    observation?.cancel()
  }

  private func look() {
    do {
      try memory.withLock { memory in
        guard !state.withLock({ $0.isStopped }), let found = try lookAgain(&memory) else { return }
        continuation.yield(found)
      }
    } catch {
      continuation.finish(throwing: error)
    }
  }
}
