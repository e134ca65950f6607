import OfflineTree

@testable import Replicator

/// One end of a fake connection: a session, a replica that does its jobs when told to, and bytes on their way.
struct FakeEnd {
  var session: Session
  var jobs: [SessionJob] = []
  /// Bytes that were sent and have not arrived.
  var outbox: [UInt8] = []
  var decoder = FrameDecoder()
  var outgoing: FakeOutgoing?
  var files = FakeFiles()
  var end: SessionEnd?
  var events: [SessionEvent] = []
  var sentMessages: [Message] = []

  init(_ session: Session) { self.session = session }

  mutating func perform(_ actions: [SessionAction]) throws {
    for action in actions {
      switch action {
      case .send(let message):
        sentMessages.append(message)
        outbox += try message.frame()
      case .work(let job): jobs.append(job)
      case .report(let event): events.append(event)
      case .close(let end): self.end = end
      }
    }
  }

  /// Does the oldest job.
  mutating func work(_ replica: inout FakeReplica, at time: SessionTime) throws {
    let job = jobs.removeFirst()
    try perform(session.completed(try answer(job, &replica), at: time))
  }

  private mutating func answer(_ job: SessionJob, _ replica: inout FakeReplica) throws -> SessionAnswer {
    switch job {
    case .readClock: return .clock(replica.clock)
    case .compare(let clock):
      if outgoing == nil { outgoing = FakeOutgoing(to: clock) } else { outgoing?.note(clock.positions) }
      return .compared(
        SessionComparison(
          clock: replica.clock, currentLog: replica.currentLog,
          unknown: clock.positions.filter { [replica] in !replica.has($0) }))
    case .apply(let segments):
      let changes = try segments.map { try FakeChange(decoding: $0) }
      outgoing?.note(changes.map(\.position))
      let outcome = replica.receive(changes)
      var application = SessionApplication(clock: replica.clock)
      application.arrived = changes.count
      application.applied = outcome.applied
      application.duplicates = outcome.duplicates
      application.forked = outcome.forked
      application.needsHistory = replica.needsHistory
      return .applied(application)
    case .restart(let samples):
      outgoing?.note(samples.positions.filter { [replica] in replica.has($0) })
      outgoing?.restart(samples.log)
      return .restarted
    case .sample(let log, let isAnswer):
      return .sampled(Samples(log: log, isAnswer: isAnswer, positions: replica.samples(of: log)))
    case .leaveLog:
      replica.leaveLog()
      return .leftLog
    case .pull(let maximum):
      let clock = replica.clock
      let changes = outgoing?.next(maximum, from: replica) ?? []
      return .pulled(changes.map(\.encoded), changes: changes.count, clock: clock)
    case .findWanted(let limit): return .wanted(replica.wanted(limit))
    case .readHistory(let gap): return .history(HistoryAnswer(to: gap, bodies: replica.history(gap)))
    case .readCheckpoint: return .checkpoint(replica.checkpoint, floors: [])
    case .begin(let bytes, _):
      let problem = replica.begin(bytes) ? nil : TreeError(.damaged, "no checkpoint")
      return .begun(replica.clock, problem)
    case .readState: return .state(digest: replica.clock.digest, replica.stateHash)
    case .search(let answer): return .searched(replica.search(answer))
    case .sum(let question): return .summed(replica.sums(question))
    case .findChunks(let limit, let absent, _): return .foundChunks(files.wanted(limit, without: absent), isMore: false)
    case .readChunk(let id): return .chunk(ChunkAnswer(id, files.forms[id]))
    case .keepChunks(let answers): return files.keep(answers)
    case .findMissed(let ids): return .foundMissed(ids.filter { files.forms[$0] != nil })
    case .fill(let runs):
      let outcome = try replica.fill(runs)
      var filling = SessionFilling(clock: replica.clock)
      (filling.filled, filling.applied) = outcome
      return .filled(filling)
    }
  }
}

/// Two ends, two replicas, a clock set by hand.
struct FakeConnection {
  var left: FakeEnd
  var right: FakeEnd
  var time = SessionTime(monotonic: 1_000_000_000_000, wall: 1_700_000_000_000)
  static let space = SpaceID([UInt8](repeating: 7, count: 32))

  static func session(
    token: UInt8, isOnce: Bool = false, space: SpaceID = FakeConnection.space, name: String = "device",
    peerKey: Bytes32? = nil
  ) -> Session {
    Session(
      Session.Configuration(
        space: space,
        identity: PeerIdentity(
          deviceKey: Bytes32([UInt8](repeating: token, count: 32)), name: name,
          homeToken: Bytes16([UInt8](repeating: token, count: 16))),
        // The ends are 1 and 2.
        peerKey: peerKey ?? Bytes32([UInt8](repeating: 3 - token, count: 32)), isOnce: isOnce))
  }

  init(_ left: Session, _ right: Session) throws {
    self.left = FakeEnd(left)
    self.right = FakeEnd(right)
    try self.left.perform(self.left.session.started(at: time))
    try self.right.perform(self.right.session.started(at: time))
  }

  /// Carries up to `count` bytes from one end to the other.
  mutating func carry(fromLeft: Bool, _ count: Int) throws {
    if fromLeft {
      try Self.carry(count, &left, &right, time)
    } else {
      try Self.carry(count, &right, &left, time)
    }
  }

  private static func carry(
    _ count: Int, _ from: inout FakeEnd, _ to: inout FakeEnd, _ time: SessionTime
  ) throws {
    let bytes = from.outbox.prefix(count)
    from.outbox.removeFirst(bytes.count)
    var messages: [Message] = []
    try to.decoder.received(bytes) { messages.append($0) }
    for message in messages { try to.perform(to.session.received(message, at: time)) }
  }

  /// Is nothing under way that would happen without a further event?
  var isAtRest: Bool {
    left.outbox.isEmpty && right.outbox.isEmpty && left.jobs.isEmpty && right.jobs.isEmpty
  }

  /// Lets everything happen that happens by itself; false if it does not come to rest.
  mutating func settle(_ replicas: inout [FakeReplica], _ first: Int = 0, _ second: Int = 1) throws -> Bool {
    for _ in 0..<100_000 {
      if isAtRest { return true }
      time.monotonic += 1_000
      if !left.jobs.isEmpty { try left.work(&replicas[first], at: time) }
      if !right.jobs.isEmpty { try right.work(&replicas[second], at: time) }
      try carry(fromLeft: true, .max)
      try carry(fromLeft: false, .max)
    }
    return false
  }
}
