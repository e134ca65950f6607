import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Who may take part, over real sockets: device 0 listens, device 1 dials.
@Suite struct TCPMembershipTests {
  private let devices: TCPDevices
  private let events = EventLog()
  private let here: TestAuthority
  private let there: TestAuthority
  private static let claim = [UInt8](repeating: 0xC, count: 200)

  init() throws {
    devices = try TCPDevices(2)
    here = TestAuthority(devices.databases[0])
    there = TestAuthority(devices.databases[1])
  }

  private var listeningKey: Bytes32 { devices.databases[0].deviceKey }
  private var diallingKey: Bytes32 { devices.databases[1].deviceKey }

  private func listen() throws -> TCPListener { try devices.listen(0, events, as: here.membership) }

  private func sync(_ port: Int) async -> TreeError? {
    do {
      _ = try await devices.peer(1, port: port, as: there.membership).syncOnce()
      return nil
    } catch {
      return error as? TreeError ?? TreeError(.internal, "\(error)")
    }
  }

  private func eventuallyRefused() async throws {
    try await eventually("the listener says why") { events.errors.contains { $0.code == .refused } }
    #expect(events.connectedCount == 0)
  }

  @Test(arguments: [DeviceStanding.ended, .unknown])
  func `a device that does not take part gets no word`(standing: DeviceStanding) async throws {
    here.set(standing, of: diallingKey)
    let listener = try listen()
    let error = await sync(listener.port)
    #expect(error?.code == .unavailable)
    #expect(error?.context.contains("without a word") == true)
    #expect(error?.advice.isEmpty == false)
    try await eventuallyRefused()
    listener.stop()
  }

  @Test(arguments: [DeviceStanding.ended, .unknown])
  func `the end that dials turns away a device that does not take part`(standing: DeviceStanding) async throws {
    there.set(standing, of: listeningKey)
    let listener = try listen()
    #expect(await sync(listener.port)?.code == .refused)
    #expect(try devices.databases[1].clock().positions.isEmpty)
    listener.stop()
  }

  @Test func `a newcomer is let in by its claim, and takes whoever proves to hold the key`() async throws {
    here.set(.unknown, of: diallingKey)
    there.set(.unknown, of: listeningKey)
    there.setNewcomer(Self.claim)
    let listener = try listen()
    #expect(await sync(listener.port)?.code == .unavailable)
    try await eventuallyRefused()
    here.admit(Self.claim, of: diallingKey)
    #expect(await sync(listener.port) == nil)
    #expect(try devices.areEqual())
    listener.stop()
  }

  @Test func `a claim of another device lets nobody in`() async throws {
    here.set(.unknown, of: diallingKey)
    there.setNewcomer(Self.claim)
    here.admit(Self.claim, of: listeningKey)
    let listener = try listen()
    #expect(await sync(listener.port)?.code == .unavailable)
    try await eventuallyRefused()
    listener.stop()
  }

  @Test func `a newcomer may listen as well`() async throws {
    here.set(.unknown, of: diallingKey)
    here.setNewcomer(Self.claim)
    there.set(.unknown, of: listeningKey)
    there.admit(Self.claim, of: listeningKey)
    let listener = try listen()
    #expect(await sync(listener.port) == nil)
    listener.stop()
  }

  @Test func `an ended device does not get in by a claim, nor with a newcomer`() async throws {
    here.set(.ended, of: diallingKey)
    here.setNewcomer(Self.claim + [1])
    here.admit(Self.claim, of: diallingKey)
    there.setNewcomer(Self.claim)
    let listener = try listen()
    #expect(await sync(listener.port)?.code == .unavailable)
    try await eventuallyRefused()
    listener.stop()
  }

  @Test(arguments: [true, false])
  func `a device that is ended while it is connected is cut off after the commit`(endsHere: Bool) async throws {
    let listener = try listen()
    let peer = devices.peer(1, port: listener.port, as: there.membership)
    peer.start()
    try await eventually("connected and equal") { try events.connectedCount == 1 && devices.areEqual() }
    try await devices.post("before", by: 0)
    try await eventually("it arrives") { try devices.areEqual() }
    if endsHere { here.set(.ended, of: diallingKey) } else { there.set(.ended, of: listeningKey) }
    // Nothing happens by itself: the end comes with a commit.
    try await devices.post("after", by: endsHere ? 0 : 1)
    try await eventually("it is cut off") {
      events.all.contains { if case .disconnected(.some, _) = $0 { true } else { false } }
    }
    try await devices.post("later", by: 0)
    try await Task.sleep(for: .milliseconds(200))
    #expect(try devices.note("later", at: 1) == .null)
    #expect(events.connectedCount == 1)
    peer.stop()
    listener.stop()
  }

  @Test func `a newcomer whose invite ends is cut off, and one that has become a member is not`() async throws {
    here.set(.unknown, of: diallingKey)
    here.admit(Self.claim, of: diallingKey)
    there.setNewcomer(Self.claim)
    let listener = try listen()
    let peer = devices.peer(1, port: listener.port, as: there.membership)
    peer.start()
    try await eventually("connected and equal") { try events.connectedCount == 1 && devices.areEqual() }
    here.set(.member, of: diallingKey)
    try await devices.post("it is a member", by: 0)
    try await eventually("it arrives") { try devices.areEqual() }
    here.admit(Self.claim, of: nil)
    try await devices.post("the invite ended", by: 0)
    try await eventually("that arrives as well") { try devices.areEqual() }
    here.set(.unknown, of: diallingKey)
    try await devices.post("it is no member any more", by: 0)
    try await eventually("it is cut off") { events.errors.contains { $0.code == .refused } }
    peer.stop()
    listener.stop()
  }

  /// A connection of which the end that dials, a newcomer, cannot tell whose it is.
  private func connectUnjudged(_ port: Int, as membership: Membership) async throws -> TCPPeer {
    here.set(.unknown, of: diallingKey)
    here.admit(Self.claim, of: diallingKey)
    there.set(.unknown, of: listeningKey)
    there.setNewcomer(Self.claim)
    let peer = devices.peer(1, port: port, events, as: membership)
    peer.start()
    return peer
  }

  @Test(arguments: [false, true])
  func `whom a newcomer cannot judge it keeps for ten minutes`(isKnownByThen: Bool) async throws {
    let listener = try devices.listen(0, as: here.membership)
    let peer = try await connectUnjudged(listener.port, as: there.membership)
    try await eventually("connected and equal") { try events.connectedCount == 1 && devices.areEqual() }
    there.advance(by: ProtocolLimits.unjudged - 1)
    try await devices.post("in time", by: 0)
    try await eventually("it arrives") { try devices.areEqual() }
    if isKnownByThen { there.set(.member, of: listeningKey) }
    there.advance(by: 1)
    try await devices.post("late", by: 1)
    if isKnownByThen {
      try await eventually("it arrives") { try devices.areEqual() }
      #expect(events.errors == [])
    } else {
      try await eventually("it is cut off") { events.errors.contains { $0.code == .refused } }
    }
    peer.stop()
    listener.stop()
  }

  @Test func `whom a newcomer cannot judge it does not keep because nothing happens`() async throws {
    let listener = try devices.listen(0, as: here.membership)
    var membership = there.membership
    membership.now = devices.databases[1].environment.monotonicClock
    membership.unjudged = 200_000_000
    let peer = try await connectUnjudged(listener.port, as: membership)
    try await eventually("it is cut off") { events.errors.contains { $0.code == .refused } }
    peer.stop()
    listener.stop()
  }

  private static func epochs(_ numbers: [UInt8], of space: SpaceID) -> [EpochKeys] {
    numbers.map { ChannelPair.epoch($0, space: space) }
  }

  @Test(arguments: [[4], [4, 3, 2, 1], [3, 2, 1], [2, 1], [1]] as [[UInt8]])
  func `a device that was away over three rotations is found with an older key`(known: [UInt8]) async throws {
    let space = devices.databases[0].spaceID
    here.setEpochs(Self.epochs(known, of: space))
    there.setEpochs(Self.epochs([4, 3, 2, 1], of: space))
    let listener = try listen()
    #expect(await sync(listener.port) == nil)
    #expect(try devices.areEqual())
    // One connection for each key that is too new, and each told once.
    try await eventually("they were turned away") { events.errors.count == 4 - Int(known[0]) }
    listener.stop()
  }

  @Test func `a device that knows none of the keys is a stranger in the end`() async throws {
    let space = devices.databases[0].spaceID
    here.setEpochs(Self.epochs([9], of: space))
    there.setEpochs(Self.epochs([4, 3, 2, 1], of: space))
    let listener = try listen()
    let error = await sync(listener.port)
    #expect(error?.code == .unavailable)
    #expect(error?.context.contains("knows this space's key") == true)
    try await eventually("each key was tried") { events.errors.count == 4 }
    listener.stop()
  }

  @Test func `a device that stays connected tries its older keys too`() async throws {
    let space = devices.databases[0].spaceID
    here.setEpochs(Self.epochs([1], of: space))
    there.setEpochs(Self.epochs([3, 2, 1], of: space))
    let listener = try listen()
    let told = EventLog()
    let peer = devices.peer(1, port: listener.port, told, as: there.membership)
    peer.start()
    try await eventually("connected and equal") { try told.connectedCount == 1 && devices.areEqual() }
    // That the newer keys were refused is no failure.
    #expect(told.errors == [])
    peer.stop()
    listener.stop()
  }
}
