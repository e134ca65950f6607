internal import Dispatch
import OfflineTree

/// Drives one session: bytes from the stream into it, what it asks for out of it.
///
/// All state is touched on `queue` alone, which is what makes it `Sendable`.
final class Connection: @unchecked Sendable {
  struct Handlers: Sendable {
    /// What happens, on the connection's queue.
    var event: @Sendable (PeerEvent) -> Void
    /// The other end has said who it is, and belongs here.
    var proven: @Sendable () -> Void
    /// The socket is closed: how it ended, what was done, and for how many seconds it was of use. The last call.
    var closed: @Sendable (SessionEnd, SyncReport, Double) -> Void
  }

  /// Who is at the other end, for error texts.
  let name: String
  private let database: Database
  private let queue = DispatchQueue(label: "OfflineTree.connection")
  private let worker: SessionWorker
  private let handlers: Handlers
  private var session: Session
  private var decoder = FrameDecoder()
  private var stream: ByteStream?
  private var timer: (any DispatchSourceTimer)?
  private var armedFor: UInt64 = .max
  private var observation: CommitObservation?
  private var provenAt: UInt64?
  private var end: SessionEnd?

  init(_ database: Database, name: String, isOnce: Bool, handlers: Handlers) {
    self.database = database
    self.name = name
    self.handlers = handlers
    worker = SessionWorker(database)
    session = Session(
      Session.Configuration(
        space: database.spaceID,
        identity: PeerIdentity(
          deviceKey: database.deviceKey, name: database.deviceName, homeToken: database.homeToken), isOnce: isOnce))
  }

  private var now: SessionTime {
    SessionTime(monotonic: database.environment.monotonicClock(), wall: database.environment.wallClock())
  }

  /// Takes a connected descriptor over. The connection lives until its socket is closed.
  func start(_ descriptor: Int32) {
    queue.async { [self] in
      // Stopped before it began: nothing would ever close the socket.
      if end != nil {
        SocketCalls.close(descriptor)
        return closed()
      }
      stream = ByteStream(
        descriptor, name: name, queue: queue,
        handlers: ByteStream.Handlers(
          received: { [self] bytes in received(bytes) },
          ended: { [self] error in perform(session.disconnected(error, at: now)) },
          closed: { [self] in closed() }))
      timer = DispatchSource.makeTimerSource(queue: queue)
      timer?.setEventHandler { [unowned self] in
        armedFor = .max
        perform(session.tick(now))
      }
      timer?.activate()
      stream?.start()
      do throws(TreeError) {
        observation = try database.onCommit { [weak self] in self?.committed() }
        perform(session.started(at: now))
      } catch {
        perform(session.failed(error, at: now))
      }
    }
  }

  /// Says goodbye and closes.
  func stop() {
    queue.async { [self] in perform(session.stopped(at: now)) }
  }

  /// Tells the other end that there is no room, and closes.
  func refuse(_ error: TreeError) {
    queue.async { [self] in perform(session.refused(error, at: now)) }
  }

  /// Like `refuse`, unless the other end has proven meanwhile that it belongs here.
  func giveWay(_ error: TreeError) {
    queue.async { [self] in
      if !session.isProven { perform(session.refused(error, at: now)) }
    }
  }

  private func committed() {
    queue.async { [weak self] in
      guard let self else { return }
      perform(session.committed(at: now))
    }
  }

  private func received(_ bytes: ArraySlice<UInt8>) {
    do throws(TreeError) {
      try decoder.received(bytes) { message in
        if !session.isEnded { perform(session.received(message, at: now)) }
      }
    } catch {
      perform(session.malformed(error, at: now))
    }
  }

  private func perform(_ actions: [SessionAction]) {
    for action in actions {
      switch action {
      case .send(let message): send(message)
      case .work(let job):
        worker.perform(job) { [self] result in queue.async { self.completed(result) } }
      case .report(let event): report(event)
      case .close(let end): close(end)
      }
    }
    arm()
  }

  private func completed(_ result: Result<SessionAnswer, TreeError>) {
    switch result {
    case .success(let answer): perform(session.completed(answer, at: now))
    case .failure(let error): perform(session.failed(error, at: now))
    }
  }

  private func send(_ message: Message) {
    do throws(TreeError) {
      stream?.send(try message.frame())
    } catch {
      return perform(session.failed(error, at: now))
    }
    if let stream, stream.unsentBytes > ProtocolLimits.heldBytes {
      let error = TreeError(.unavailable, "it does not read what is sent", advice: "Restart the other program")
      perform(session.disconnected(error, at: now))
    }
  }

  /// The session's deadline only ever moves later without a step, so a timer that is early does no harm.
  private func arm() {
    guard !session.isEnded, session.deadline < armedFor else { return }
    armedFor = session.deadline
    let current = now.monotonic
    let wait = max(armedFor > current ? armedFor - current : 0, 1_000_000)
    timer?.schedule(deadline: .now() + .nanoseconds(Int(clamping: wait)), leeway: .milliseconds(50))
  }

  private func report(_ event: SessionEvent) {
    switch event {
    case .connected(let peer, _):
      provenAt = now.monotonic
      handlers.proven()
      handlers.event(.connected(peer))
    case .acknowledged(let clock, let wallTime):
      if let peer = session.peer { handlers.event(.acknowledged(peer, clock, wallTime: wallTime)) }
    case .received(let count): handlers.event(.received(count))
    case .note(let text): handlers.event(.note(text))
    }
  }

  private func close(_ end: SessionEnd) {
    self.end = named(end)
    observation?.cancel()
    observation = nil
    timer?.cancel()
    stream?.finish()
  }

  private func named(_ end: SessionEnd) -> SessionEnd {
    guard case .failed(let error) = end else { return end }
    return .failed(
      TreeError(error.code, "\(name): \(error.context)", advice: error.advice, underlying: error.underlying))
  }

  private func closed() {
    stream = nil
    let end = end ?? .finished(.closing)
    var failure: TreeError?
    if case .failed(let error) = end { failure = error }
    handlers.event(.disconnected(session.peer, failure))
    let seconds = provenAt.map { Double(now.monotonic &- $0) / 1e9 } ?? 0
    handlers.closed(end, session.outcome, seconds)
  }
}
