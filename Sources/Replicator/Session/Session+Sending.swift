import OfflineTree

extension Session {
  /// This database has a new commit, of its own or received.
  package mutating func committed(at time: SessionTime) -> [SessionAction] {
    step(time) { session in
      // A session that is to end does not wait for a writer who goes on.
      if session.configuration.isOnce { return }
      session.hasMore = true
      session.fetching.mustLook = true
      session.chunks.mustLook = true
      session.chunks.mustLookForMissed = !session.chunks.missed.isEmpty
    }
  }

  /// Everything that follows from the state and needs no further message.
  mutating func advance() {
    releaseHold()
    pull()
    fetch()
    answer()
    fetchChunks()
    answerChunk()
    serve()
    answerQuestion()
    readState()
    acknowledge()
    settle()
  }

  var isWindowOpen: Bool {
    let inFlight = sentBytes - acknowledgedBytes
    return inFlight == 0 || inFlight + UInt64(configuration.pieceBytes) <= UInt64(configuration.windowBytes)
  }

  private mutating func pull() {
    guard hasMore, !isPulling, !isHolding, !beginning.holdsPull, isWindowOpen else { return }
    hasMore = false
    isPulling = true
    actions.append(.work(.pull(maximumBytes: configuration.pieceBytes)))
  }

  mutating func wasPulled(_ segments: [[UInt8]], _ changes: Int, _ clock: VectorClock) {
    isPulling = false
    noteOwnClock(clock)
    report.sent += changes
    for segment in segments {
      sentBytes += UInt64(segment.count)
      send(.segment(segment))
    }
    if !segments.isEmpty { hasMore = true }
  }

  /// What is this device's own was fetched once the peer has nothing more to send.
  private mutating func releaseHold() {
    guard isHolding, working == nil, inbound.isEmpty, jobsAside == 0, isHandledByPeer else { return }
    isHolding = false
    hasMore = true
  }
}
