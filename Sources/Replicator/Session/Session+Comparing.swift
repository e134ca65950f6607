import OfflineTree

/// What a session has to do with the state hashes of the two ends: equal clocks must show equal trees.
struct StateChecking: Sendable {
  /// This end's state, as it was last read, and the clock's digest that it belongs to.
  var own: (digest: Bytes32, hash: Bytes16)?
  var isReading = false
  /// Is the place of a difference being looked for?
  var isSearching = false
  /// Is the peer to answer?
  var isAsking = false
  /// Of the peer's questions, those that are not answered yet.
  var owed: [StateComparison.Question] = []
  var isAnswering = false
  var answered = 0
  /// The clock for which a difference was looked for: once is enough.
  var searched: Bytes32?

  var isQuiet: Bool { !isReading && !isSearching && owed.isEmpty && !isAnswering }
}

extension Session {
  /// What a quiet word says of this end's state; zero while it is not known.
  var stateToTell: Bytes16 {
    guard let own = checking.own, own.digest == toldDigest else { return .zero }
    return own.hash
  }

  /// Reads the state that belongs to this end's clock, when nothing else is to be done.
  mutating func readState() {
    guard isQuiet, told?.positions.isEmpty == false, checking.own?.digest != toldDigest else { return }
    checking.isReading = true
    actions.append(.work(.readState))
  }

  mutating func stateWasRead(_ digest: Bytes32, _ hash: Bytes16) {
    checking.isReading = false
    // The database may be ahead of what this end has told: then the next look is at that.
    checking.own = (digest == toldDigest ? digest : toldDigest, digest == toldDigest ? hash : .zero)
    compareStates()
  }

  /// Both ends are quiet, have the same changes, and have said what these come to.
  mutating func compareStates() {
    guard let word = peerQuiet, word.digest == toldDigest, let own = checking.own, own.digest == toldDigest,
      own.hash != .zero, word.state != .zero, word.state != own.hash, checking.searched != toldDigest
    else { return }
    checking.searched = toldDigest
    checking.isSearching = true
    note("This device and the other have the same changes and do not hold the same: the place is looked for.")
    actions.append(.work(.search(nil)))
  }

  mutating func searched(_ step: SessionSearch) {
    switch step {
    case .ask(let question):
      checking.isAsking = true
      send(.question(question))
    case .ended(let paths):
      checking.isSearching = false
      report.divergences = paths
      guard let first = paths.first else { return }
      note(
        "They differ at /\(first)\(paths.count > 1 ? " and elsewhere" : ""): one of the two databases, or programs, is at "
          + "fault. Run verify on both devices, and repair on the one that is damaged.")
    }
  }

  mutating func receivedSums(_ answer: StateComparison.Answer) {
    guard checking.isAsking else { return failOutOfPlace("sums that it was not asked for") }
    checking.isAsking = false
    actions.append(.work(.search(answer)))
  }

  // MARK: The other end's turn

  mutating func received(_ question: StateComparison.Question) {
    checking.answered += 1
    guard phase == .streaming, checking.answered <= ProtocolLimits.stateQuestions else {
      return failOutOfPlace("more questions of its state than a search takes")
    }
    checking.owed.append(question)
  }

  mutating func answerQuestion() {
    guard !checking.isAnswering, !checking.owed.isEmpty else { return }
    checking.isAnswering = true
    actions.append(.work(.sum(checking.owed.removeFirst())))
  }

  mutating func wasSummed(_ answer: StateComparison.Answer) {
    checking.isAnswering = false
    send(.sums(answer))
  }
}
