import OfflineTree

/// What a session has to do with dropped history: what this end asked for, and what the other did.
struct Fetching: Sendable {
  /// Is it to be found out what this database needs?
  var mustLook = false
  var isLooking = false
  /// What the peer was asked for last, until all of it is answered and filled in.
  var asked: [HistoryGap] = []
  /// How many of them are answered.
  var answered = 0
  /// What the peer sent last: if it is still wanted, it did not fit.
  var sent: Set<HistoryGap> = []
  /// What the peer did not have, and the time from which on it may be asked again.
  var absent: [HistoryGap: UInt64] = [:]
  /// What the peer asked for and is not answered.
  var owed: ArraySlice<HistoryGap> = []
  var isReading = false

  var isQuiet: Bool { !mustLook && !isLooking && asked.isEmpty && owed.isEmpty && !isReading }
}

extension Session {
  /// Finds what is needed, once all that was asked for is answered.
  mutating func fetch() {
    guard fetching.mustLook, !fetching.isLooking, fetching.asked.isEmpty else { return }
    fetching.mustLook = false
    fetching.isLooking = true
    // What the peer does not have stands before what it may have.
    actions.append(.work(.findWanted(limit: ProtocolLimits.gaps + fetching.absent.count)))
  }

  mutating func wasFound(wanted: [HistoryGap]) {
    fetching.isLooking = false
    let isAnotherTry = { [configuration, now] (time: UInt64) in !configuration.isOnce && now.monotonic >= time }
    fetching.absent = fetching.absent.filter { !isAnotherTry($0.value) }
    for gap in wanted where fetching.sent.contains(gap) { noteAbsent(gap) }
    fetching.sent = []
    let gaps = wanted.lazy.filter { [fetching] in fetching.absent[$0] == nil }.prefix(ProtocolLimits.gaps)
    guard !gaps.isEmpty else { return }
    fetching.asked = Array(gaps)
    fetching.answered = 0
    send(.want(fetching.asked))
  }

  private mutating func noteAbsent(_ gap: HistoryGap) {
    fetching.absent[gap] = now.monotonic + ProtocolLimits.askAgain
  }

  mutating func receivedHistory(_ answer: HistoryAnswer) {
    guard fetching.answered < fetching.asked.count, answer.answers(fetching.asked[fetching.answered]) else {
      return failOutOfPlace("history that it was not asked for")
    }
    fetching.answered += 1
    receivedContent(.history(answer))
  }

  /// Gives what was fetched to the database.
  mutating func fill(_ answers: [HistoryAnswer]) {
    working = Work(
      messages: UInt64(answers.count), segmentBytes: answers.reduce(0) { $0 + UInt64($1.weight) }, answers: answers)
    actions.append(.work(.fill(answers.compactMap(\.run))))
  }

  mutating func wasFilled(_ filling: SessionFilling) {
    guard let work = finishWork() else { return }
    noteOwnClock(filling.clock)
    for (gap, answer) in zip(fetching.asked, work.answers) {
      if answer.bodies == nil {
        noteAbsent(gap)
        actions.append(.report(.lacks(gap)))
      } else {
        fetching.sent.insert(gap)
      }
    }
    fetching.asked.removeFirst(work.answers.count)
    fetching.answered -= work.answers.count
    report.fetched += filling.filled
    report.received += filling.applied
    if filling.applied > 0 {
      hasMore = true
      // It may name files.
      chunks.mustLook = true
      actions.append(.report(.received(filling.applied)))
    }
    fetching.mustLook = true
  }

  // MARK: The other end's turn

  mutating func handle(want gaps: [HistoryGap]) {
    guard fetching.owed.isEmpty, !fetching.isReading else {
      return failOutOfPlace("a wish for history before it had all that it asked for")
    }
    fetching.owed = gaps[...]
    handled += 1
  }

  /// Reads the next thing that the peer asked for, while it has room for it.
  mutating func answer() {
    guard !fetching.isReading, isWindowOpen, let gap = fetching.owed.popFirst() else { return }
    fetching.isReading = true
    actions.append(.work(.readHistory(gap)))
  }

  mutating func wasRead(_ answer: HistoryAnswer) {
    fetching.isReading = false
    sentBytes += UInt64(answer.weight)
    send(.history(answer))
  }
}
