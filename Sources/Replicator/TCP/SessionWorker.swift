internal import Dispatch
package import OfflineTree

/// Does a session's jobs on the database, one after another, on a thread where blocking is allowed.
///
/// All state is touched on `queue` alone, which is what makes it `Sendable`.
package final class SessionWorker: @unchecked Sendable {
  /// However many connections there are, so many of them work at a time.
  private static let lanes = (0..<8).map { DispatchQueue(label: "OfflineTree.replication.\($0)") }

  let database: Database
  private let membership: Membership
  private let queue: DispatchQueue
  private var outgoing: Outgoing?
  private var comparison = StateComparison()
  /// What the other end, which has nothing of the space yet, is being sent.
  private var lent: BorrowedCheckpoint?
  /// Chunks that the other end was asked for.
  var askedChunks: [Bytes32] = []
  /// Who is at the other end, and why it may stay.
  private var peer: (key: Bytes32, admission: Admission)?

  package init(_ database: Database, _ membership: Membership) {
    self.database = database
    self.membership = membership
    let lane = Self.lanes[Int.random(in: Self.lanes.indices)]
    queue = DispatchQueue(label: "OfflineTree.session", target: lane)
  }

  deinit { database.releaseChunks(askedChunks, asker: ObjectIdentifier(self)) }

  func perform(_ job: SessionJob, then: @escaping @Sendable (Result<SessionAnswer, TreeError>) -> Void) {
    run({ [self] () throws(TreeError) in try answer(job) }, then: then)
  }

  /// Notes who is at the other end, before any job.
  package func admit(_ key: Bytes32, _ admission: Admission) {
    queue.async { self.peer = (key, admission) }
  }

  /// Asks anew whether the other end may stay.
  func judge(then: @escaping @Sendable (Result<Void, TreeError>) -> Void) {
    run({ [self] () throws(TreeError) in try requireAdmission() }, then: then)
  }

  /// Does a job at once, on the worker's own queue, and returns what came of it: for drivers that own all time.
  package func performNow(_ job: SessionJob) -> Result<SessionAnswer, TreeError> {
    queue.sync {
      do throws(TreeError) {
        return .success(try answer(job))
      } catch {
        return .failure(error)
      }
    }
  }

  /// Asks anew, at once, whether the other end may stay.
  package func judgeNow() -> Result<Void, TreeError> {
    queue.sync {
      do throws(TreeError) {
        return .success(try requireAdmission())
      } catch {
        return .failure(error)
      }
    }
  }

  private func run<Answer>(
    _ body: @escaping @Sendable () throws(TreeError) -> Answer,
    then: @escaping @Sendable (Result<Answer, TreeError>) -> Void
  ) {
    queue.async {
      do throws(TreeError) {
        then(.success(try body()))
      } catch {
        then(.failure(error))
      }
    }
  }

  func requireAdmission() throws(TreeError) {
    guard let peer else { throw TreeError(.internal, "a session began before its peer was let in") }
    guard let admission = try membership.admission(of: peer.key, after: peer.admission) else {
      throw Admission.refusal(of: peer.key)
    }
    self.peer = (peer.key, admission)
  }

  private func answer(_ job: SessionJob) throws(TreeError) -> SessionAnswer {
    switch job {
    case .readClock: return .clock(try database.clock())
    case .compare(let clock): return .compared(try compare(clock))
    case .apply(let segments): return .applied(try apply(segments))
    case .restart(let samples):
      try restart(samples)
      return .restarted
    case .sample(let log, let isAnswer):
      // With fewer of them both may go back further than they need to.
      let positions = try database.samples(of: log).suffix(ProtocolLimits.positions)
      return .sampled(Samples(log: log, isAnswer: isAnswer, positions: Array(positions)))
    case .leaveLog:
      // A clock is the peer's word alone; what is signed comes after it.
      try database.leaveLog(isProven: false)
      return .leftLog
    case .pull(let maximum): return try pull(maximum)
    case .findWanted(let limit): return .wanted(try database.wantedHistory(limit: limit))
    case .readHistory(let gap): return .history(try read(gap))
    case .fill(let runs): return .filled(try fill(runs))
    case .readCheckpoint: return try readCheckpoint()
    case .begin(let bytes, let floors): return try begin(bytes, floors)
    case .readState:
      let (digest, hash) = try database.state()
      return .state(digest: digest, hash)
    case .search(let answer): return .searched(try search(answer))
    case .sum(let question):
      try requireAdmission()
      return .summed(try database.answer(question))
    case .findChunks(let limit, let absent, let isAlone): return try findChunks(limit, absent, isAlone: isAlone)
    case .readChunk(let id): return try readChunk(id)
    case .keepChunks(let answers): return try keepChunks(answers)
    case .findMissed(let ids): return .foundMissed(try database.chunksHere(ids))
    }
  }

  private func compare(_ peer: VectorClock) throws(TreeError) -> SessionComparison {
    let clock = try database.clock()
    let own = Set(clock.positions)
    // Who tells its clock is past a beginning.
    lent = nil
    var unknown: [LogPosition] = []
    for position in peer.positions where !own.contains(position) {
      if try !database.hasChange(position) { unknown.append(position) }
    }
    if outgoing == nil {
      outgoing = try database.outgoing(to: peer)
    } else {
      try outgoing?.note(peerHas: peer, from: database)
    }
    return SessionComparison(clock: clock, currentLog: try database.writtenPosition()?.log, unknown: unknown)
  }

  private func restart(_ samples: Samples) throws(TreeError) {
    var known: [LogPosition] = []
    for position in samples.positions {
      if try database.hasChange(position) { known.append(position) }
    }
    let common = known.max { $0.seq < $1.seq }
    try outgoing?.restart(log: samples.log, common: common, from: database)
    try outgoing?.note(peerHas: VectorClock(known), from: database)
  }

  /// The clock is read first: with nothing more to send, everything in it has been handed out.
  private func pull(_ maximumBytes: Int) throws(TreeError) -> SessionAnswer {
    let clock = try database.clock()
    let runs = try outgoing?.next(maximumBytes: maximumBytes, from: database) ?? []
    // Asked after they were read: no change that came with the peer's end, or later, goes to it.
    try requireAdmission()
    var segments: [[UInt8]] = []
    for run in runs { segments.append(try Segment.encode(run, space: database.spaceID)) }
    return .pulled(segments, changes: runs.reduce(0) { $0 + $1.bodies.count }, clock: clock)
  }
}

extension SessionWorker {
  private func read(_ gap: HistoryGap) throws(TreeError) -> HistoryAnswer {
    let run = try database.historyRun(gap)
    // As in a pull.
    try requireAdmission()
    let isWhole = run.map { $0.first == gap.first && $0.last == gap.last && $0.byteCount <= Limits.segmentBytes }
    return HistoryAnswer(to: gap, bodies: isWhole == true ? run?.bodies : nil)
  }

  private func search(_ answer: StateComparison.Answer?) throws(TreeError) -> SessionSearch {
    if answer == nil { comparison = StateComparison() }
    do throws(TreeError) {
      if let answer { try comparison.take(answer, in: database) }
    } catch  where error.code == .unavailable {
      // One of the two has gone on: then they may differ.
      return .ended([])
    }
    if let question = comparison.question { return .ask(question) }
    return .ended(comparison.paths.map(\.path))
  }

  private func readCheckpoint() throws(TreeError) -> SessionAnswer {
    lent = try database.borrowCheckpoint()
    try requireAdmission()
    guard let bytes = lent?.bytes else { return .checkpoint(nil, floors: []) }
    let floors = try database.floors(keepers: Replicator(database: database).keeperClocks())
    return .checkpoint(bytes, floors: Array(floors.prefix(ProtocolLimits.positions)))
  }

  private func begin(_ bytes: [UInt8], _ floors: [LogPosition]) throws(TreeError) -> SessionAnswer {
    do throws(TreeError) {
      try database.begin(with: try CheckpointBundle(decoding: bytes), floors: floors)
      return .begun(try database.clock(), nil)
    } catch {
      return .begun(try database.clock(), error)
    }
  }

  private func fill(_ runs: [ChangeRun]) throws(TreeError) -> SessionFilling {
    let fill = runs.isEmpty ? HistoryFill() : try database.fill(runs)
    var result = SessionFilling(clock: try database.clock())
    result.filled = fill.filled
    result.applied = fill.reception.applied
    return result
  }

  private func apply(_ segments: [[UInt8]]) throws(TreeError) -> SessionApplication {
    var (runs, heads, refused): ([ChangeRun], [LogPosition], [SyncReport.Refusal]) = ([], [], [])
    for bytes in segments {
      do throws(TreeError) {
        let segment = try Segment(decoding: bytes, space: database.spaceID)
        runs.append(segment.run)
        heads.append(segment.header.position)
      } catch {
        refused.append(SyncReport.Refusal(name: "a segment", error: error))
      }
    }
    let filesBefore = try database.fileChanges()
    let reception = try database.receive(runs, keepBlocked: true)
    // What the peer sent it has: none of it goes back.
    try outgoing?.note(peerHas: VectorClock(heads), from: database)
    var result = SessionApplication(clock: try database.clock())
    result.arrived = runs.reduce(0) { $0 + $1.bodies.count }
    result.applied = reception.applied
    result.duplicates = reception.duplicates
    result.forked = reception.forked
    result.needsHistory = !reception.wanted.isEmpty
    result.changedFiles = try database.fileChanges() != filesBefore
    result.refused =
      refused + reception.refused.map { SyncReport.Refusal(name: "the log \($0.log)", error: $0.error) }
    let now = database.environment.wallClock()
    result.refused += reception.problems.map {
      SyncReport.Refusal(name: "what this device has to do for the space", error: $0)
    }
    result.holes = reception.blocked.map { blocked in
      SyncReport.Hole(
        log: blocked.run.log, first: blocked.run.first, last: blocked.run.last, since: now,
        reason: Self.sentence(for: blocked.reason))
    }
    return result
  }

  private static func sentence(for reason: Reception.Reason) -> String {
    switch reason {
    case .missingPrevious: "the change before it is missing"
    case .missingParent(let parent): "it had seen change \(parent.seq) of the log \(parent.log), which is missing"
    case .missingGenesis: "the beginning of the space is missing"
    case .unknownVersion: "it was written by a newer version: update this program"
    case .delayed: "its device has many logs, and no other device has seen this one yet"
    case .missingHistory: "it needs history that this device has dropped, and asks for it"
    }
  }
}
