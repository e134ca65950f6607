internal import Dispatch
import OfflineTree

/// Drives one connection: TLS, the device proof, then a session.
///
/// All state is touched on `queue` alone, which is what makes it `Sendable`.
final class Connection: @unchecked Sendable {
  /// Which end this is, and what it needs for the handshake.
  enum Side: Sendable {
    case dials(offering: EpochKeys)
    case listens(NonceMemory)

    var role: ProofRole {
      switch self {
      case .dials: .client
      case .listens: .server
      }
    }
  }

  /// How a connection ended.
  struct Closing: Sendable {
    var end: SessionEnd
    /// Who was at the other end, if it said so.
    var peer: PeerIdentity?
    /// What was done.
    var report: SyncReport
    /// For how long it was of use.
    var seconds: Double
    /// The other end closed, or spoke something else, before TLS stood: it does not know the key, perhaps.
    var isKeyRefused: Bool

    var failure: TreeError? {
      if case .failed(let error) = end { error } else { nil }
    }
  }

  struct Handlers: Sendable {
    /// What happens, on the connection's queue; the end aside, which is `closed`.
    var event: @Sendable (PeerEvent) -> Void = { _ in }
    /// The other end holds the space's key.
    var keyed: @Sendable () -> Void = {}
    /// The other end has proven which device it is, and may take part.
    var proven: @Sendable (Admission) -> Void = { _ in }
    /// The socket is closed. The last call.
    var closed: @Sendable (Closing) -> Void
  }

  /// However many connections there are, and whoever made them, so many threads work for them.
  private static let lanes = (0..<8).map { DispatchQueue(label: "OfflineTree.connections.\($0)") }

  /// Who is at the other end, for error texts.
  let name: String
  let database: Database
  let membership: Membership
  let queue: DispatchQueue
  let worker: SessionWorker
  let handlers: Handlers
  let side: Side
  let isOnce: Bool
  var stream: TLSStream?
  /// When the handshake, or the proof, has to be done.
  var openingDeadline: UInt64 = 0
  var proofDecoder: ProofDecoder
  var proof: DeviceProof?
  /// Who is at the other end, once it has proven it.
  var peerKey: Bytes32?
  var isJudging = false
  var mustJudgeAgain = false
  /// When the other end is judged again though nothing was committed, by the membership's clock.
  var judgementDeadline: UInt64?
  var session: Session?
  var decoder = FrameDecoder()
  var observation: CommitObservation?
  var connectedAt: UInt64?
  private var timer: (any DispatchSourceTimer)?
  private var armedFor: UInt64 = .max
  private(set) var end: SessionEnd?
  private var isKeyRefused = false

  init(
    _ database: Database, _ membership: Membership, _ side: Side, name: String, isOnce: Bool, handlers: Handlers
  ) {
    self.database = database
    self.membership = membership
    self.side = side
    self.name = name
    self.isOnce = isOnce
    self.handlers = handlers
    queue = DispatchQueue(label: "OfflineTree.connection", target: Self.lanes[Int.random(in: Self.lanes.indices)])
    worker = SessionWorker(database, membership)
    proofDecoder = ProofDecoder(expecting: side.role == .client ? .server : .client)
  }

  var now: SessionTime {
    SessionTime(monotonic: database.environment.monotonicClock(), wall: database.environment.wallClock())
  }

  /// Takes a connected descriptor over. The connection lives until its socket is closed.
  func start(_ descriptor: Int32) {
    queue.async { [self] in
      do throws(TreeError) {
        // Stopped before it began: nothing else would ever close the socket.
        if end == nil { try open(descriptor) }
      } catch {
        end = .failed(error)
      }
      if stream == nil {
        SocketCalls.close(descriptor)
        closed()
      }
    }
  }

  private func open(_ descriptor: Int32) throws(TreeError) {
    let channel = try makeChannel()
    stream = TLSStream(
      channel, descriptor, name: name, queue: queue,
      handlers: TLSStream.Handlers(
        established: { [self] in beginProof() },
        received: { [self] bytes in received(bytes) },
        ended: { [self] error in streamEnded(error) },
        closed: { [self] in closed() }))
    openingDeadline = now.monotonic + ProtocolLimits.handshakeDeadline
    timer = DispatchSource.makeTimerSource(queue: queue)
    timer?.setEventHandler { [unowned self] in
      armedFor = .max
      tick()
    }
    timer?.activate()
    stream?.start()
    arm()
  }

  private func makeChannel() throws(TreeError) -> TLSChannel {
    switch side {
    case .dials(let epoch): try TLSChannel(offering: epoch, nonce: Bytes16(database.environment.randomBytes(16)))
    case .listens(let seen): try TLSChannel(accepting: TLSKeyring(try membership.epochs().known, seen: seen))
    }
  }

  private func received(_ bytes: ArraySlice<UInt8>) {
    if session == nil { receivedForProof(bytes) } else { receivedForSession(bytes) }
  }

  private func streamEnded(_ error: TreeError?) {
    if session != nil { return perform(session?.disconnected(error, at: now) ?? []) }
    isKeyRefused = proof == nil
    close(.failed(isKeyRefused ? Self.keyRefused(error) : error ?? Self.proofRefused), silently: true)
  }

  private func tick() {
    if session != nil {
      if let deadline = judgementDeadline, membership.now() >= deadline {
        judgementDeadline = nil
        judgeAgain()
      }
      return perform(session?.tick(now) ?? [])
    }
    guard end == nil else { return }
    if now.monotonic >= openingDeadline {
      close(.failed(proof == nil ? Self.handshakeLate : Self.proofLate), silently: true)
    } else {
      arm()
    }
  }

  /// A deadline only ever moves later without a step, so a timer that is early does no harm.
  func arm() {
    let current = now.monotonic
    var deadline = session?.deadline ?? openingDeadline
    if let judgementDeadline {
      let judgement = membership.now()
      deadline = min(deadline, current &+ (judgementDeadline > judgement ? judgementDeadline - judgement : 0))
    }
    guard end == nil, deadline < armedFor else { return }
    armedFor = deadline
    let wait = max(deadline > current ? deadline - current : 0, 1_000_000)
    timer?.schedule(deadline: .now() + .nanoseconds(Int(clamping: wait)), leeway: .milliseconds(50))
  }

  /// - Parameter silently: At once, without what is queued.
  func close(_ end: SessionEnd, silently: Bool) {
    guard self.end == nil else { return }
    self.end = named(end)
    observation?.cancel()
    observation = nil
    timer?.cancel()
    if silently { stream?.cancel() } else { stream?.finish() }
  }

  private func named(_ end: SessionEnd) -> SessionEnd {
    guard case .failed(let error) = end else { return end }
    return .failed(
      TreeError(error.code, "\(name): \(error.context)", advice: error.advice, underlying: error.underlying))
  }

  private func closed() {
    stream = nil
    if connectedAt != nil { database.connectionClosed() }
    let seconds = connectedAt.map { Double(now.monotonic &- $0) / 1e9 } ?? 0
    handlers.closed(
      Closing(
        end: end ?? .finished(.closing), peer: session?.peer, report: session?.outcome ?? SyncReport(),
        seconds: seconds, isKeyRefused: isKeyRefused))
  }
}
