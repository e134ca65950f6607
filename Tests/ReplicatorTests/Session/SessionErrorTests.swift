import OfflineTree
import Testing

@testable import Replicator

@Suite struct SessionErrorTests {
  private func code(_ end: FakeEnd) -> TreeError.Code? {
    if case .failed(let error) = end.end { return error.code }
    return nil
  }

  private func connect(_ left: Session, _ right: Session) throws -> FakeConnection {
    var replicas = SessionExchangeTests.replicas([1, 1])
    var connection = try FakeConnection(left, right)
    #expect(try connection.settle(&replicas))
    return connection
  }

  @Test func `another space is refused at both ends`() throws {
    let connection = try connect(
      FakeConnection.session(token: 1), FakeConnection.session(token: 2, space: .zero))
    #expect(code(connection.left) == .invalidArgument)
    #expect(code(connection.right) == .invalidArgument)
    #expect(connection.left.session.peer == nil)
  }

  @Test func `a home that is connected to itself is told so at both ends`() throws {
    let connection = try connect(FakeConnection.session(token: 1), FakeConnection.session(token: 1))
    for end in [connection.left, connection.right] {
      guard case .failed(let error) = end.end else {
        Issue.record("not refused")
        continue
      }
      #expect(error.code == .invalidArgument)
      #expect(error.context.contains("itself"))
    }
  }

  @Test func `a hello of another device than the one that proved itself is refused`() {
    var session = FakeConnection.session(token: 1, peerKey: Bytes32([UInt8](repeating: 2, count: 32)))
    let time = SessionTime(monotonic: 5, wall: 5)
    _ = session.started(at: time)
    let hello = Hello(
      space: FakeConnection.space, deviceKey: Bytes32([UInt8](repeating: 3, count: 32)), homeToken: .zero, wallTime: 0,
      deviceName: "someone else")
    guard case .close(.failed(let error)) = session.received(.hello(hello), at: time).last else {
      Issue.record("it was taken")
      return
    }
    #expect(error.code == .damaged)
    #expect(session.peer == nil)
  }

  @Test func `another version is refused at both ends`() throws {
    var (old, new) = (FakeConnection.session(token: 1), FakeConnection.session(token: 2))
    let time = SessionTime(monotonic: 5, wall: 5)
    _ = old.started(at: time)
    _ = new.started(at: time)
    let error = TreeError(.unsupportedVersion, "the other end speaks version 1")
    guard case .send(.goodbye(let goodbye)) = old.malformed(error, at: time).first else {
      Issue.record("no goodbye")
      return
    }
    #expect(goodbye.reason == .version)
    guard case .close(.failed(let seen)) = new.received(.goodbye(goodbye), at: time).last else {
      Issue.record("not closed")
      return
    }
    #expect(seen.code == .unsupportedVersion)
  }

  static let early: [Message] = [
    .ping, .segment([1]), .clock(digest: .zero, nil), .clock(digest: VectorClock([]).digest, VectorClock([])),
    FrameTests.messages[7], FrameTests.messages[9],
  ]

  @Test(arguments: early)
  func `nothing is taken before a hello`(message: Message) {
    var session = FakeConnection.session(token: 1)
    let time = SessionTime(monotonic: 5, wall: 5)
    _ = session.started(at: time)
    guard case .close(.failed(let error)) = session.received(message, at: time).last else {
      Issue.record("\(message.kind) was taken")
      return
    }
    #expect(error.code == .damaged)
    #expect(session.received(message, at: time) == [])
  }

  static let outOfPlace: [(String, [Message])] = [
    ("a second hello", [FrameTests.messages[0]]),
    ("positions before a digest", [.clock(digest: VectorClock([]).digest, VectorClock([]))]),
    ("changes before a clock", [.segment([1])]),
    ("a second digest", [.clock(digest: .zero, nil), .clock(digest: .zero, nil)]),
    (
      "an acknowledgement of nothing",
      [
        .acknowledge(
          SessionAcknowledgement(
            digest: .zero, sent: 0, handled: 9, handledBytes: 0, isQuiet: false, wallTime: 0, changed: []))
      ]
    ),
  ]

  @Test(arguments: outOfPlace.indices)
  func `messages out of place end the session`(index: Int) {
    let (what, messages) = Self.outOfPlace[index]
    var session = FakeConnection.session(token: 1, peerKey: .zero)
    let time = SessionTime(monotonic: 5, wall: 5)
    _ = session.started(at: time)
    var hello = Hello(
      space: FakeConnection.space, deviceKey: .zero, homeToken: .zero, wallTime: 0, deviceName: "a\u{202E}b\n")
    hello.homeToken = Bytes16([UInt8](repeating: 8, count: 16))
    let greeting = session.received(.hello(hello), at: time)
    guard case .report(.connected(let peer, _)) = greeting.first else {
      Issue.record("not connected")
      return
    }
    #expect(peer.name.utf8.elementsEqual("a?b?".utf8))
    var actions: [SessionAction] = []
    for message in messages { actions = session.received(message, at: time) }
    guard case .close(.failed(let error)) = actions.last else {
      Issue.record("\(what) was taken")
      return
    }
    #expect(error.code == .damaged)
  }

  @Test func `a peer that sends on without acknowledgements is cut off`() throws {
    var replicas = SessionExchangeTests.replicas([1, 1])
    var connection = try SessionExchangeTests.connection()
    #expect(try connection.settle(&replicas))
    let segment = Message.segment([UInt8](repeating: 1, count: 1 << 20))
    var count = 0
    while connection.left.end == nil, count < 1_000 {
      try connection.left.perform(connection.left.session.received(segment, at: connection.time))
      count += 1
    }
    #expect(code(connection.left) == .damaged)
    #expect(count <= ProtocolLimits.heldBytes >> 20)
  }

  @Test func `silence is answered with pings, then taken for death`() throws {
    var replicas = SessionExchangeTests.replicas([1, 1])
    var connection = try SessionExchangeTests.connection()
    #expect(try connection.settle(&replicas))
    var (pings, ticks) = (0, 0)
    var session = connection.left.session
    while !session.isEnded, ticks < 100 {
      connection.time.monotonic = session.deadline
      let actions = session.tick(connection.time)
      pings += actions.count { $0 == .send(.ping) }
      ticks += 1
    }
    #expect((2...3).contains(pings))
    #expect(ticks == pings + 1)
    #expect(session.isEnded)
  }

  @Test func `two idle ends keep each other alive and send nothing but pings`() throws {
    var replicas = SessionExchangeTests.replicas([1, 1])
    var connection = try SessionExchangeTests.connection()
    #expect(try connection.settle(&replicas))
    let sent = connection.left.sentMessages.count
    for _ in 0..<40 {
      connection.time.monotonic = min(connection.left.session.deadline, connection.right.session.deadline)
      try connection.left.perform(connection.left.session.tick(connection.time))
      try connection.right.perform(connection.right.session.tick(connection.time))
      #expect(try connection.settle(&replicas))
    }
    #expect(connection.left.end == nil && connection.right.end == nil)
    #expect(connection.left.sentMessages.dropFirst(sent).allSatisfy { $0 == .ping })
  }

  @Test func `one exchange with an end that only pings is given up`() throws {
    var session = FakeConnection.session(token: 1, isOnce: true, peerKey: .zero)
    var time = SessionTime(monotonic: 1_000, wall: 0)
    _ = session.started(at: time)
    let peer = PeerIdentity(deviceKey: .zero, name: "peer", homeToken: Bytes16([UInt8](repeating: 9, count: 16)))
    _ = session.received(
      .hello(
        Hello(
          space: FakeConnection.space, deviceKey: peer.deviceKey, homeToken: peer.homeToken, wallTime: 0,
          deviceName: peer.name)), at: time)
    var ticks = 0
    while !session.isEnded, ticks < 100 {
      time.monotonic = session.deadline
      _ = session.received(.ping, at: time)
      _ = session.tick(time)
      ticks += 1
    }
    #expect(session.isEnded)
    #expect(time.monotonic == 1_000 + ProtocolLimits.stall)
  }

  @Test func `a hello has five seconds`() {
    var session = FakeConnection.session(token: 1)
    _ = session.started(at: SessionTime(monotonic: 1_000, wall: 0))
    #expect(session.deadline == 1_000 + ProtocolLimits.helloDeadline)
    #expect(session.tick(SessionTime(monotonic: session.deadline - 1, wall: 0)) == [])
    let actions = session.tick(SessionTime(monotonic: session.deadline, wall: 0))
    guard case .close(.failed(let error)) = actions.last else {
      Issue.record("still waiting")
      return
    }
    #expect(error.code == .unavailable)
  }

  @Test func `a database that fails is told to both ends`() throws {
    var connection = try SessionExchangeTests.connection()
    let error = TreeError(.full, "the disk is full", advice: "Make room")
    try connection.left.perform(connection.left.session.failed(error, at: connection.time))
    #expect(connection.left.end == .failed(error))
    try connection.carry(fromLeft: true, .max)
    guard case .failed(let seen) = connection.right.end else {
      Issue.record("not told")
      return
    }
    #expect(seen.context.contains("the disk is full"))
  }

  @Test(arguments: Goodbye.Reason.allCases)
  func `every goodbye ends the session and is not answered`(reason: Goodbye.Reason) throws {
    var connection = try SessionExchangeTests.connection(isOnce: true)
    let actions = connection.left.session.received(.goodbye(Goodbye(reason, "why")), at: connection.time)
    #expect(actions.count == 1)
    #expect((actions == [.close(.finished(.done))]) == (reason == .done))
  }
}
