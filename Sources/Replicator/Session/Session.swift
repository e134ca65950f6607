package import OfflineTree

/// One end of a connection between two devices: a state machine without I/O.
///
/// Tell it what happened, do what it answers, in that order. `docs/protocol.md` has the rules that it follows. It
/// belongs to one queue; jobs are done elsewhere, one at a time, in the order they were given.
package struct Session: Sendable {
  package struct Configuration: Sendable {
    package var space: SpaceID
    package var identity: PeerIdentity
    /// The device key that the other end has proven.
    package var peerKey: Bytes32
    /// End as soon as nothing is left to exchange.
    package var isOnce: Bool
    /// Begin with a checkpoint, if nothing of the space is here and the peer has one.
    package var takesCheckpoint = true
    /// Bytes of segments on the way before this end waits for an acknowledgement.
    package var windowBytes = ProtocolLimits.windowBytes
    /// Chunks that the peer did not have, so many of which are remembered.
    package var absentChunks = ProtocolLimits.absentChunks
    /// Bytes of changes asked of the database at a time.
    package var pieceBytes = ProtocolLimits.pieceBytes

    package init(space: SpaceID, identity: PeerIdentity, peerKey: Bytes32, isOnce: Bool) {
      self.space = space
      self.identity = identity
      self.peerKey = peerKey
      self.isOnce = isOnce
    }
  }

  enum Phase: Equatable {
    /// Nothing was heard yet.
    case greeting
    /// Both said hello; the peer's clock is not known yet.
    case comparing
    /// Both clocks are known.
    case streaming
    case ended
  }

  let configuration: Configuration
  var phase = Phase.greeting
  /// What the call in progress answers.
  var actions: [SessionAction] = []
  var now = SessionTime(monotonic: 0, wall: 0)

  package var peer: PeerIdentity?
  var peerDigest: Bytes32?
  /// The peer's positions by log, as far as it told them.
  var peerClock: [LogID: [LogPosition]] = [:]
  var peerPositions = 0
  /// The peer's last quiet word.
  var peerQuiet: SessionAcknowledgement?

  /// This end's clock as it was last told.
  var told: VectorClock?
  var toldDigest = Bytes32.zero
  /// What changed since and was not told yet, by log.
  var untold: [LogID: [LogPosition]] = [:]
  var lastAcknowledgement: SessionAcknowledgement?

  var sent: UInt64 = 0
  var sentBytes: UInt64 = 0
  var acknowledgedBytes: UInt64 = 0
  var handled: UInt64 = 0
  var handledBytes: UInt64 = 0

  /// Content that arrived and waits for its turn.
  var inbound = Inbound()
  /// How much of it is with the database now.
  var working: Work?
  var isPulling = false
  /// Is there possibly more to send?
  var hasMore = false
  /// The peer has changes of the log that is written here: fetch them first.
  var isHolding = false
  var awaitedSamples: Set<LogID> = []
  var jobsAside = 0
  /// What was dropped here and is fetched from the peer; what the peer is owed.
  var fetching = Fetching()
  /// Chunks of files that are fetched from the peer, and those that the peer is owed.
  var chunks = ChunkExchange()
  /// Whether equal clocks show equal trees.
  var checking = StateChecking()
  /// How a newcomer begins.
  var beginning = Beginning()
  var comparedDigests: [Bytes32] = []
  var mayRepeatAt: UInt64 = 0

  var startedAt: UInt64 = 0
  var lastSent: UInt64 = 0
  var lastReceived: UInt64 = 0
  /// When anything but a ping arrived, or the database answered.
  var lastMoved: UInt64 = 0
  var report = SyncReport()

  /// Content that the database works on.
  struct Work {
    var messages: UInt64
    var segmentBytes: UInt64
    var samples: Samples?
    /// Answers of the peer to what it was asked for.
    var answers: [HistoryAnswer] = []
    var chunks: [ChunkAnswer] = []
  }

  package init(_ configuration: Configuration) {
    self.configuration = configuration
  }

  package var isEnded: Bool { phase == .ended }
  /// Equal clocks, as far as both have said.
  package var isEqual: Bool { peerDigest == toldDigest && told != nil }

  /// What this session did so far; holes that were filled since are left out.
  package var outcome: SyncReport {
    var outcome = report
    outcome.holes.removeAll { hole in
      told?.positions.contains { $0.log == hole.log && $0.seq >= hole.last } ?? false
    }
    return outcome
  }

  /// Runs one step and hands out what it asks for.
  mutating func step(_ time: SessionTime, _ body: (inout Session) -> Void) -> [SessionAction] {
    guard !isEnded else { return [] }
    now = time
    body(&self)
    if phase == .streaming { advance() }
    defer { actions = [] }
    return actions
  }

  mutating func send(_ message: Message) {
    if message.isContent { sent += 1 }
    lastSent = now.monotonic
    actions.append(.send(message))
  }

  mutating func end(_ end: SessionEnd, saying goodbye: Goodbye?) {
    if let goodbye { send(.goodbye(goodbye)) }
    phase = .ended
    inbound = Inbound()
    actions.append(.close(end))
  }

  mutating func fail(_ reason: Goodbye.Reason, _ error: TreeError) {
    end(.failed(error), saying: Goodbye(reason, error.description))
  }
}
