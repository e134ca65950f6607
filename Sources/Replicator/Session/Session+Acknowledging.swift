import OfflineTree

extension Session {
  /// Nothing to do, nothing to send, nothing awaited at this end.
  var isQuiet: Bool {
    phase == .streaming && inbound.isEmpty && working == nil && !isPulling && !hasMore && !isHolding
      && jobsAside == 0 && awaitedSamples.isEmpty && fetching.isQuiet && beginning.isQuiet
      && checking.isQuiet && chunks.isQuiet
  }

  /// The peer was quiet after it had handled all that was sent, and all that it had sent by then is handled.
  var isHandledByPeer: Bool {
    guard let peerQuiet else { return false }
    return peerQuiet.handled == sent && handled >= peerQuiet.sent
  }

  mutating func noteOwnClock(_ clock: VectorClock) {
    guard let told, told != clock else { return }
    let changed = Set(clock.positions).symmetricDifference(told.positions)
    let logs = Set(changed.map(\.log))
    for log in logs { untold[log] = [] }
    for position in clock.positions where logs.contains(position.log) { untold[position.log]?.append(position) }
    self.told = clock
    toldDigest = clock.digest
  }

  /// One word after each batch that was handled, and one when this end becomes quiet.
  mutating func acknowledge() {
    var word = SessionAcknowledgement(
      digest: toldDigest, sent: sent, handled: handled, handledBytes: handledBytes, isQuiet: isQuiet, wallTime: 0,
      state: isQuiet ? stateToTell : .zero, changed: [])
    if let last = lastAcknowledgement {
      let isNews = word.handled != last.handled || word.handledBytes != last.handledBytes || word.isQuiet
      guard isNews, word != last else { return }
    } else if !word.isQuiet, word.handled == 0 {
      return
    }
    lastAcknowledgement = word
    word.wallTime = now.wall
    word.changed = untold.values.flatMap { $0 }.sorted()
    untold = [:]
    send(.acknowledge(word))
  }

  mutating func receivedAcknowledgement(_ word: SessionAcknowledgement) {
    guard word.handled <= sent, word.handledBytes <= sentBytes, word.handledBytes >= acknowledgedBytes else {
      return failOutOfPlace("an acknowledgement of what it was not sent")
    }
    acknowledgedBytes = word.handledBytes
    peerDigest = word.digest
    peerQuiet = word.isQuiet ? word : peerQuiet
    notePeerTime(word.wallTime)
    var changed: [LogID: [LogPosition]] = [:]
    for position in word.changed { changed[position.log, default: []].append(position) }
    for (log, positions) in changed {
      peerPositions += positions.count - (peerClock[log]?.count ?? 0)
      peerClock[log] = positions
    }
    guard peerPositions <= ProtocolLimits.positions else {
      return failOutOfPlace("a clock of more than \(ProtocolLimits.positions) positions")
    }
    if phase == .streaming { reportPeerClock(word.wallTime) }
    compareStates()
  }

  mutating func setPeerClock(_ clock: VectorClock) {
    peerClock = Dictionary(grouping: clock.positions, by: \.log)
    peerPositions = clock.positions.count
    if let peer = report.peers.first { reportPeerClock(peer.wallTime) }
  }

  private mutating func reportPeerClock(_ wallTime: Int64) {
    actions.append(.report(.acknowledged(VectorClock(peerClock.values.flatMap { $0 }), wallTime: wallTime)))
  }
}
