import OfflineTree

extension Session {
  /// A message arrived.
  package mutating func received(_ message: Message, at time: SessionTime) -> [SessionAction] {
    step(time) { session in
      session.lastReceived = time.monotonic
      if message.kind != .ping { session.lastMoved = time.monotonic }
      if session.phase == .greeting {
        switch message {
        case .hello, .goodbye: break
        default: return session.failOutOfPlace("a \(message.kind) before its hello")
        }
      }
      switch message {
      case .hello(let hello): session.receivedHello(hello)
      case .clock(let digest, let clock): session.receivedClock(digest, clock)
      case .segment(let bytes): session.receivedContent(.segment(bytes))
      case .samples(let samples): session.receivedContent(.samples(samples))
      case .acknowledge(let acknowledgement): session.receivedAcknowledgement(acknowledgement)
      case .ping: break
      case .goodbye(let goodbye): session.receivedGoodbye(goodbye)
      case .want(let gaps): session.receivedContent(.want(gaps))
      case .history(let answer): session.receivedHistory(answer)
      case .ask(let wants): session.receivedContent(.ask(wants))
      case .offer(let offer): session.receivedContent(.offer(offer))
      case .piece(let bytes): session.receivedContent(.piece(bytes))
      case .question(let question): session.received(question)
      case .sums(let sums): session.receivedSums(sums)
      case .wish(let ids): session.receivedContent(.wish(ids))
      case .chunk(let answer): session.receivedChunk(answer)
      case .have(let ids): session.receivedContent(.have(ids))
      }
    }
  }

  mutating func receivedContent(_ content: Inbound.Content) {
    if case .clock = content {
    } else if phase != .streaming, inbound.isEmpty, working == nil {
      return failOutOfPlace("changes before its clock")
    }
    inbound.append(content)
    let held = inbound.heldBytes + Int(working?.segmentBytes ?? 0)
    guard held <= ProtocolLimits.heldBytes else {
      return failOutOfPlace("more than \(ProtocolLimits.heldBytes) bytes without waiting for an acknowledgement")
    }
    handleNext()
  }

  /// Gives the next content to the database, one at a time, segments as many as there are.
  mutating func handleNext() {
    while working == nil, !isEnded, let content = inbound.next() {
      switch content {
      case .clock(let clock, let isCounted):
        setPeerClock(clock)
        noteBeginning(of: clock)
        working = Work(messages: isCounted ? 1 : 0, segmentBytes: 0)
        actions.append(.work(.compare(clock)))
      case .samples(let samples):
        working = Work(messages: 1, segmentBytes: 0, samples: samples)
        actions.append(.work(.restart(samples)))
      case .want(let gaps): handle(want: gaps)
      case .ask(let wants): handle(ask: wants)
      case .offer(let offer): handle(offer)
      case .piece(let bytes): handle(piece: bytes)
      case .wish(let ids): handle(wish: ids)
      case .have(let ids): handle(have: ids)
      case .segment, .history, .chunk: break
      }
    }
    guard working == nil, !isEnded else { return }
    let answers = inbound.answers()
    if !answers.isEmpty { return fill(answers) }
    let chunks = inbound.chunks()
    if !chunks.isEmpty { return keep(chunks) }
    let segments = inbound.segments()
    guard !segments.isEmpty else { return }
    working = Work(messages: UInt64(segments.count), segmentBytes: segments.reduce(0) { $0 + UInt64($1.count) })
    actions.append(.work(.apply(segments)))
  }

  /// The database is done with the content it had.
  mutating func finishWork() -> Work? {
    guard let work = working else { return nil }
    working = nil
    handled += work.messages
    handledBytes += work.segmentBytes
    return work
  }

  /// A job is done.
  package mutating func completed(_ answer: SessionAnswer, at time: SessionTime) -> [SessionAction] {
    step(time) { session in
      session.lastMoved = time.monotonic
      switch answer {
      case .clock(let clock): session.clockWasRead(clock)
      case .compared(let comparison): session.wasCompared(comparison)
      case .applied(let application): session.wasApplied(application)
      case .restarted: session.wasRestarted()
      case .sampled(let samples):
        session.jobsAside -= 1
        session.send(.samples(samples))
      case .leftLog:
        session.jobsAside -= 1
      case .pulled(let segments, let changes, let clock): session.wasPulled(segments, changes, clock)
      case .wanted(let gaps): session.wasFound(wanted: gaps)
      case .history(let answer): session.wasRead(answer)
      case .filled(let filling): session.wasFilled(filling)
      case .checkpoint(let bytes, let floors): session.wasRead(checkpoint: bytes, floors)
      case .begun(let clock, let problem): session.hasBegun(clock, problem)
      case .state(let digest, let hash): session.stateWasRead(digest, hash)
      case .searched(let step): session.searched(step)
      case .summed(let answer): session.wasSummed(answer)
      case .foundChunks(let ids, let isMore): session.wereFound(chunks: ids, isMore: isMore)
      case .chunk(let answer): session.wasRead(answer)
      case .keptChunks(let count, let refused): session.wereKept(count, refused: refused)
      case .foundMissed(let ids): session.wereFound(missed: ids)
      }
      session.handleNext()
    }
  }

  private mutating func wasApplied(_ application: SessionApplication) {
    _ = finishWork()
    noteOwnClock(application.clock)
    // Changes that had waited here may be news to the peer; what it sent is not.
    if application.applied + application.duplicates > application.arrived { hasMore = true }
    report.received += application.applied
    report.duplicates += application.duplicates
    add(application)
    if application.needsHistory { fetching.mustLook = true }
    if application.changedFiles { chunks.mustLook = true }
    if application.applied > 0 { actions.append(.report(.received(application.applied))) }
    for log in application.forked { requestSamples(of: log) }
  }

  private mutating func wasRestarted() {
    guard let work = finishWork(), let samples = work.samples else { return }
    hasMore = true
    let wasAwaited = awaitedSamples.remove(samples.log) != nil
    if !samples.isAnswer, !wasAwaited { addJob(.sample(samples.log, isAnswer: true)) }
  }

  /// Compares before anything is published: what does the peer have that this database has not?
  private mutating func wasCompared(_ comparison: SessionComparison) {
    _ = finishWork()
    noteOwnClock(comparison.clock)
    phase = .streaming
    hasMore = true
    fetching.mustLook = true
    chunks.begin()
    let own = Dictionary(grouping: comparison.clock.positions, by: \.log)
    var isBehind = false
    var left: LogID?
    for position in comparison.unknown {
      guard let branches = own[position.log], let ownLast = branches.map(\.seq).max() else { continue }
      // With one branch here, a later position of the peer most likely continues it.
      if position.seq <= ownLast || branches.count > 1 { requestSamples(of: position.log) }
      guard position.log == comparison.currentLog else { continue }
      left = position.log
      if position.seq > ownLast { isBehind = true }
    }
    guard let left else { return }
    addJob(.leaveLog)
    isHolding = isHolding || isBehind
    note(
      "The peer has changes of this device's log \(left) that this home does not have: the home was restored from a "
        + "copy, or copied. They are fetched, and the next write starts a new log.")
  }

  private mutating func requestSamples(of log: LogID) {
    guard awaitedSamples.insert(log).inserted else { return }
    addJob(.sample(log, isAnswer: false))
  }

  private mutating func addJob(_ job: SessionJob) {
    jobsAside += 1
    actions.append(.work(job))
  }

  mutating func note(_ text: String) {
    if report.notes.count < 100 { report.notes.append(text) }
    actions.append(.report(.note(text)))
  }

  private mutating func add(_ application: SessionApplication) {
    report.holes += application.holes.prefix(max(0, 1_000 - report.holes.count))
    report.refused += application.refused.prefix(max(0, 100 - report.refused.count))
    for refusal in application.refused.prefix(10) {
      note("A piece of \(refusal.name) was refused: \(refusal.error)")
    }
  }
}
