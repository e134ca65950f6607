/// Following who is logged in, and what stands about people.
extension Auth {
  /// Who is logged in now, and each time that changes: by this process, by another one of the home, or because a sync
  /// has brought another password or the end of the session. Nil while nobody is; `signOutReason` then says why.
  ///
  /// A slow reader gets the newest and misses those between. Ends with the task that reads it, or throws what keeps it
  /// from being known.
  public var stateChanges: AsyncThrowingStream<User?, any Error> {
    AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
      let observer = AuthObserver(self, continuation)
      observer.start()
      continuation.onTermination = { _ in observer.stop() }
    }
  }

  /// What the tree says of a person; nil if there is no entry. Anybody may have written it whom the rules let.
  public func profile(of user: Key) throws -> Profile? {
    let path = try entry(of: user)
    let value = try database.read { try $0.value(at: path) }
    return value.isNull ? nil : Profile(user, value)
  }

  /// The image that the person's entry names, if it is on this device.
  public func profileImage(of user: Key) throws -> [UInt8]? {
    let path = try entry(of: user).child(Profile.Field.profileImageName)
    guard case .string(let name)? = try database.read({ try $0.scalar(at: path) }) else { return nil }
    return try database.blob(named: name)
  }
}

/// Looks again after each commit who is logged in.
private final class AuthObserver: Sendable {
  private struct State {
    /// What was told last; nil before the first.
    var told: User??
    var observation: CommitObservation?
    var isStopped = false
  }

  private let auth: Auth
  private let continuation: AsyncThrowingStream<User?, any Error>.Continuation
  private let state = Monitor(State())

  init(_ auth: Auth, _ continuation: AsyncThrowingStream<User?, any Error>.Continuation) {
    self.auth = auth
    self.continuation = continuation
  }

  func start() {
    do {
      let observation = try auth.database.onCommit { [self] in look() }
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
        let user = try auth.currentUser
        if let told = state.told, told == user { return }
        state.told = .some(user)
        continuation.yield(user)
      }
    } catch {
      continuation.finish(throwing: error)
    }
  }
}
