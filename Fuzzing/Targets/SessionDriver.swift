import OfflineTree
import Replicator

/// Does what a session asks for, with a database that has one log and takes nothing.
struct SessionDriver {
  private var session: Session
  private var decoder = FrameDecoder()
  private var jobs: [SessionJob] = []
  private var isClosed = false
  private var time = SessionTime(monotonic: 1 << 40, wall: 1_700_000_000_000)
  private let isBehind: Bool
  /// How many pieces come before the next job is done.
  private let laziness: UInt8

  init(isOnce: Bool, isBehind: Bool, laziness: UInt8) {
    session = Session(
      Session.Configuration(
        space: FuzzSpace.space, identity: SeedMessages.own, peerKey: SeedMessages.peer.deviceKey, isOnce: isOnce))
    (self.isBehind, self.laziness) = (isBehind, laziness)
  }

  mutating func run(_ pieces: [ArraySlice<UInt8>]) throws(FuzzFailure) {
    try perform(session.started(at: time))
    for (number, piece) in pieces.enumerated() {
      time.monotonic += UInt64(piece.count) * 1_000_000_000
      var messages: [Message] = []
      do throws(TreeError) {
        try decoder.received(piece) { messages.append($0) }
      } catch {
        return try perform(session.malformed(error, at: time))
      }
      for message in messages { try perform(session.received(message, at: time)) }
      if number.isMultiple(of: Int(laziness) + 1) { try doJob() }
      if time.monotonic >= session.deadline { try perform(session.tick(time)) }
    }
    while !jobs.isEmpty { try doJob() }
    try perform(session.disconnected(nil, at: time))
    try require(isClosed && session.isEnded, "a session goes on without a connection")
  }

  private mutating func perform(_ actions: [SessionAction]) throws(FuzzFailure) {
    for action in actions {
      try require(!isClosed, "a session acts after its end")
      switch action {
      case .send(let message):
        try require(attempt { () throws(TreeError) in try message.frame() } != nil, "a session says too much")
      case .work(let job): jobs.append(job)
      case .report: break
      case .close: isClosed = true
      }
    }
  }

  private mutating func doJob() throws(FuzzFailure) {
    guard !jobs.isEmpty else { return }
    let clock = SeedMessages.clock(1)
    let answer: SessionAnswer
    switch jobs.removeFirst() {
    case .readClock: answer = .clock(clock)
    case .compare(let other):
      answer = .compared(
        SessionComparison(
          clock: clock, currentLog: isBehind ? FuzzSpace.log : nil,
          unknown: other.positions.filter { !clock.positions.contains($0) }))
    case .apply(let segments):
      var application = SessionApplication(clock: clock)
      application.arrived = segments.count
      application.forked = isBehind ? [FuzzSpace.log] : []
      answer = .applied(application)
    case .restart: answer = .restarted
    case .sample(let log, let isAnswer):
      answer = .sampled(Samples(log: log, isAnswer: isAnswer, positions: clock.positions))
    case .leaveLog: answer = .leftLog
    case .pull: answer = .pulled([], changes: 0, clock: clock)
    case .findWanted:
      let gap = HistoryGap(log: FuzzSpace.log, first: 0, last: 3, hashBefore: .zero, head: .zero)
      answer = .wanted(isBehind ? [gap] : [])
    case .readHistory(let gap): answer = .history(HistoryAnswer(to: gap, bodies: isBehind ? nil : [[1], [2]]))
    case .readCheckpoint: answer = .checkpoint(isBehind ? nil : [1, 2, 3], floors: clock.positions)
    case .begin: answer = .begun(clock, isBehind ? TreeError(.damaged, "no checkpoint") : nil)
    case .readState: answer = .state(digest: clock.digest, isBehind ? .zero : Bytes16([UInt8](repeating: 5, count: 16)))
    case .search(let told):
      answer = .searched(told == nil ? .ask(.buckets) : .ended(isBehind ? [] : [.root]))
    case .sum: answer = .summed(.parts([]))
    case .findChunks: answer = .foundChunks(isBehind ? [.zero] : [], isMore: isBehind)
    case .readChunk(let id): answer = .chunk(ChunkAnswer(id, isBehind ? nil : [1, 0]))
    case .keepChunks(let answers): answer = .keptChunks(answers.count, refused: [:])
    case .findMissed(let ids): answer = .foundMissed(isBehind ? [] : ids)
    case .fill(let runs):
      var filling = SessionFilling(clock: clock)
      filling.filled = runs.reduce(0) { $0 + $1.bodies.count }
      answer = .filled(filling)
    }
    try perform(session.completed(answer, at: time))
  }
}
