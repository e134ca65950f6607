import OfflineTree

/// What a session has to do with the chunks of files: what this end asked for, and what the other did.
struct ChunkExchange: Sendable {
  /// Is it to be found out what this home wants?
  var mustLook = false
  var isLooking = false
  private var hasBegun = false
  /// What the peer was asked for last, until all of it is answered and kept.
  var asked: [Bytes32] = []
  /// How many of them are answered.
  var answered = 0
  /// What the peer did not have, or not right; it says so when that changes.
  var absent: Set<Bytes32> = []
  /// The peer lacks more than can be remembered: it is asked for no more, until it says that it has some of that.
  var isOver = false
  /// When to look again because another session asks for the same; 0 for never.
  var lookAt: UInt64 = 0

  /// What the peer asked for and is not answered.
  var owed: ArraySlice<Bytes32> = []
  var isReading = false
  /// What the peer asked for and was not here.
  var missed: Set<Bytes32> = []
  var mustLookForMissed = false
  var isLookingForMissed = false

  /// The first look; later ones follow from what comes.
  mutating func begin() {
    if !hasBegun { mustLook = true }
    hasBegun = true
  }

  var isQuiet: Bool {
    !mustLook && !isLooking && asked.isEmpty && owed.isEmpty && !isReading && !mustLookForMissed && !isLookingForMissed
  }
}

extension Session {
  /// Finds what is wanted, once all that was asked for is answered; and what the peer missed.
  mutating func fetchChunks() {
    if chunks.isOver { chunks.mustLook = false }
    if chunks.mustLook, !chunks.isLooking, chunks.asked.isEmpty {
      chunks.mustLook = false
      chunks.isLooking = true
      actions.append(
        .work(.findChunks(limit: ProtocolLimits.chunks, without: chunks.absent, isAlone: configuration.isOnce)))
    }
    if chunks.mustLookForMissed, !chunks.isLookingForMissed {
      chunks.mustLookForMissed = false
      guard !chunks.missed.isEmpty else { return }
      chunks.isLookingForMissed = true
      actions.append(.work(.findMissed(Array(chunks.missed))))
    }
  }

  mutating func wereFound(chunks ids: [Bytes32], isMore: Bool) {
    chunks.isLooking = false
    chunks.lookAt = isMore && ids.isEmpty && !configuration.isOnce ? now.monotonic + ProtocolLimits.lookAgain : 0
    guard !ids.isEmpty else { return }
    chunks.asked = ids
    chunks.answered = 0
    send(.wish(ids))
  }

  mutating func receivedChunk(_ answer: ChunkAnswer) {
    guard chunks.answered < chunks.asked.count, answer.id == chunks.asked[chunks.answered] else {
      return failOutOfPlace("a chunk that it was not asked for")
    }
    chunks.answered += 1
    receivedContent(.chunk(answer))
  }

  /// Gives what came to the database.
  mutating func keep(_ answers: [ChunkAnswer]) {
    working = Work(
      messages: UInt64(answers.count), segmentBytes: answers.reduce(0) { $0 + UInt64($1.weight) }, chunks: answers)
    actions.append(.work(.keepChunks(answers)))
  }

  mutating func wereKept(_ count: Int, refused: [Bytes32: TreeError]) {
    guard let work = finishWork() else { return }
    for answer in work.chunks where answer.form == nil || refused[answer.id] != nil { noteAbsent(answer.id) }
    for error in refused.values { note("A chunk of a file was refused: \(error)") }
    chunks.asked.removeFirst(work.chunks.count)
    chunks.answered -= work.chunks.count
    report.chunks += count
    chunks.mustLook = true
  }

  private mutating func noteAbsent(_ id: Bytes32) {
    if chunks.absent.count < configuration.absentChunks { chunks.absent.insert(id) } else { chunks.isOver = true }
  }

  /// The peer has now what it did not have. A session that is to end does not wait for more of that.
  mutating func handle(have ids: [Bytes32]) {
    handled += 1
    guard !configuration.isOnce, !chunks.absent.isDisjoint(with: ids) else { return }
    chunks.absent.subtract(ids)
    chunks.isOver = false
    chunks.mustLook = true
  }

  // MARK: The other end's turn

  mutating func handle(wish ids: [Bytes32]) {
    guard chunks.owed.isEmpty, !chunks.isReading else {
      return failOutOfPlace("a wish for chunks before it had all that it asked for")
    }
    chunks.owed = ids[...]
    handled += 1
  }

  /// Reads the next chunk that the peer asked for, while it has room for it.
  mutating func answerChunk() {
    guard !chunks.isReading, isWindowOpen, let id = chunks.owed.popFirst() else { return }
    chunks.isReading = true
    actions.append(.work(.readChunk(id)))
  }

  mutating func wasRead(_ answer: ChunkAnswer) {
    chunks.isReading = false
    if answer.form == nil, chunks.missed.count < ProtocolLimits.absentChunks { chunks.missed.insert(answer.id) }
    sentBytes += UInt64(answer.weight)
    send(.chunk(answer))
  }

  mutating func wereFound(missed ids: [Bytes32]) {
    chunks.isLookingForMissed = false
    chunks.missed.subtract(ids)
    var rest = ids[...]
    while !rest.isEmpty {
      send(.have(Array(rest.prefix(ProtocolLimits.chunksInWord))))
      rest = rest.dropFirst(ProtocolLimits.chunksInWord)
    }
  }
}
