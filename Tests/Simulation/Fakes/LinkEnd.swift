import OfflineTree
import Replicator

/// One end of a simulated connection: a real session, the real worker of its jobs, and bytes on their way.
final class LinkEnd {
  /// Small, so that a history of a few changes fills it.
  static let windowBytes = 2_048
  static let pieceBytes = 512

  let device: SimulatedDevice
  private var session: Session
  private let worker: SessionWorker
  private var decoder = FrameDecoder()
  private var jobs: [SessionJob] = []
  /// Frames that were sent and have not arrived.
  private(set) var outbox: [[UInt8]] = []
  private(set) var end: SessionEnd?
  /// How the bound of what is on its way was broken.
  private(set) var overflow: String?
  private var sentBytes: UInt64 = 0
  private var acknowledgedBytes: UInt64 = 0
  /// What the other end said it has, durably.
  private(set) var acknowledged: VectorClock?

  /// - Throws: `.refused` if this device does not let the other in.
  init(_ device: SimulatedDevice, to other: SimulatedDevice, isOnce: Bool) throws {
    self.device = device
    let membership = Membership(device.database)
    let key = other.database.deviceKey
    let claim = try Membership(other.database).claim()
    guard let admission = try membership.admission(of: key, claim: claim) else {
      throw TreeError(.refused, "\(device.name) does not let \(other.name) in")
    }
    worker = SessionWorker(device.database, membership)
    worker.admit(key, admission)
    var configuration = Session.Configuration(
      space: device.database.spaceID, identity: device.database.identity, peerKey: key, isOnce: isOnce)
    configuration.windowBytes = Self.windowBytes
    configuration.pieceBytes = Self.pieceBytes
    session = Session(configuration)
  }

  var isEqual: Bool { session.isEqual }
  var hasJobs: Bool { !jobs.isEmpty }
  var refusals: [SyncReport.Refusal] { session.outcome.refused }

  func start() throws { try perform(session.started(at: device.time)) }

  /// Frames arrive: decoded from bytes, as a stream brings them.
  func receive(_ bytes: ArraySlice<UInt8>) throws {
    var messages: [Message] = []
    do {
      try decoder.received(bytes) { messages.append($0) }
    } catch {
      return try perform(session.malformed(error, at: device.time))
    }
    for message in messages where !session.isEnded {
      if case .acknowledge(let said) = message { acknowledgedBytes = max(acknowledgedBytes, said.handledBytes) }
      try perform(session.received(message, at: device.time))
    }
  }

  /// Takes the first frames that are on their way from here.
  func takeFrames(_ count: Int) -> [UInt8] {
    let taken = outbox.prefix(count)
    outbox.removeFirst(taken.count)
    return taken.flatMap { $0 }
  }

  /// Takes the first bytes that are on their way from here; the rest is lost.
  func takeBytes(_ count: Int) -> [UInt8] {
    defer { outbox = [] }
    return Array(outbox.joined().prefix(count))
  }

  /// Does the oldest job on the database.
  func work() throws {
    guard end == nil, !jobs.isEmpty else {
      jobs = []
      return
    }
    switch worker.performNow(jobs.removeFirst()) {
    case .success(let answer):
      if case .pulled(let segments, _, _) = answer { notePiece(segments) }
      try perform(session.completed(answer, at: device.time))
    case .failure(let error): try fail(error)
    }
  }

  /// The window may be passed by the piece that reaches its bound, and by no second one.
  private func notePiece(_ segments: [[UInt8]]) {
    let bytes = segments.reduce(0) { $0 + UInt64($1.count) }
    // Fetched history is acknowledged with the rest, and not counted here.
    let inFlight = sentBytes - min(sentBytes, acknowledgedBytes)
    if bytes > 0, inFlight > UInt64(Self.windowBytes) {
      overflow = "\(device.name) sends \(bytes) bytes more while \(inFlight) are on their way"
    }
    sentBytes += bytes
  }

  func committed() throws {
    if end != nil { return }
    if case .failure(let error) = worker.judgeNow() { return try fail(error) }
    try perform(session.committed(at: device.time))
  }

  func tick() throws {
    if end == nil, device.time.monotonic >= session.deadline { try perform(session.tick(device.time)) }
  }

  func disconnect() throws { try perform(session.disconnected(nil, at: device.time)) }

  func stop() throws { try perform(session.stopped(at: device.time)) }

  private func fail(_ error: TreeError) throws {
    if error.code == .refused {
      end = .failed(error)
      _ = session.disconnected(error, at: device.time)
    } else {
      try perform(session.failed(error, at: device.time))
    }
  }

  private func perform(_ actions: [SessionAction]) throws {
    for action in actions {
      switch action {
      case .send(let message): outbox.append(try message.frame())
      case .work(let job): jobs.append(job)
      case .report(.acknowledged(let clock, _)):
        acknowledged = clock
        if let peer = session.peer { try device.replicator.keepIfKeeper(peer, clock) }
      case .report: break
      case .close(let end): self.end = end
      }
    }
  }
}
