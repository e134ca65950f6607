import OfflineTree

extension Session {
  /// The stream stands.
  package mutating func started(at time: SessionTime) -> [SessionAction] {
    startedAt = time.monotonic
    lastReceived = time.monotonic
    lastMoved = time.monotonic
    return step(time) { session in
      let own = session.configuration.identity
      session.send(
        .hello(
          Hello(
            space: session.configuration.space, deviceKey: own.deviceKey, homeToken: own.homeToken,
            wallTime: time.wall, deviceName: own.name)))
      session.actions.append(.work(.readClock))
    }
  }

  mutating func receivedHello(_ hello: Hello) {
    guard phase == .greeting else { return failOutOfPlace("a second hello") }
    let own = configuration.identity
    if hello.homeToken == own.homeToken {
      return fail(
        .oneself,
        TreeError(
          .invalidArgument, "this home is connected to itself, or to a copy of itself",
          advice: "Give the address of another home. A copied home has to be opened once before it can connect"))
    }
    guard hello.space == configuration.space else {
      return fail(
        .space,
        TreeError(
          .invalidArgument, "one end belongs to the space \(configuration.space), the other to \(hello.space)",
          advice: "Check the address, or join the same space on both devices"))
    }
    guard hello.deviceKey == configuration.peerKey else {
      return failOutOfPlace("a hello of another device than the one that proved itself")
    }
    let identity = PeerIdentity(
      deviceKey: hello.deviceKey, name: printable(hello.deviceName), homeToken: hello.homeToken)
    peer = identity
    phase = .comparing
    notePeerTime(hello.wallTime)
    actions.append(.report(.connected(identity, wallTime: hello.wallTime)))
    compareDigests()
  }

  mutating func clockWasRead(_ clock: VectorClock) {
    told = clock
    toldDigest = clock.digest
    send(.clock(digest: toldDigest, nil))
    compareDigests()
  }

  mutating func receivedClock(_ digest: Bytes32, _ clock: VectorClock?) {
    if let clock {
      guard peerDigest != nil, told != nil else { return failOutOfPlace("positions before a digest") }
      receivedContent(.clock(clock, isCounted: true))
    } else {
      guard peerDigest == nil else { return failOutOfPlace("a second digest") }
      peerDigest = digest
      compareDigests()
    }
  }

  /// Once both digests are known: equal ones need no positions.
  private mutating func compareDigests() {
    guard phase == .comparing, let told, let peerDigest else { return }
    if peerDigest == toldDigest {
      inbound.append(.clock(told, isCounted: false))
      handleNext()
    } else {
      tell(told)
    }
  }

  /// Says the whole clock; and, while nothing is here, whether a checkpoint is welcome.
  mutating func tell(_ clock: VectorClock) {
    untold = [:]
    send(.clock(digest: clock.digest, clock))
    guard clock.positions.isEmpty else { return }
    let wants = configuration.takesCheckpoint && !beginning.hasTried
    beginning.awaitsOffer = wants
    send(.ask(wants))
  }

  mutating func notePeerTime(_ wallTime: Int64) {
    guard let peer else { return }
    report.peers = [SyncReport.Peer(identity: peer, wallTime: wallTime)]
  }

  mutating func failOutOfPlace(_ what: String) {
    fail(
      .malformed,
      TreeError(.damaged, "the other end sent \(what)", advice: "Update both programs to the same version"))
  }
}
