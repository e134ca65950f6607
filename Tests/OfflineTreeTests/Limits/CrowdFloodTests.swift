import TestSupport
import Testing

@testable import OfflineTree

/// Invites, and somebody who introduces devices by them without end.
@Suite struct CrowdFloodTests {
  /// With many seeds more than a space delivers: that takes minutes in a debug build.
  private static let invites = (Oracle.environment("OFFLINETREE_SEEDS").flatMap(Int.init) ?? 100) < 500 ? 1 : 17
  private static let crowd = Limits.devicesPerInvite + 40

  private let space: ModelSpace

  init() throws { space = try ModelSpace(devices: ["a", "b", "c"], seed: 5) }

  private func logs(_ numbers: Range<Int>, by invite: RawInvite? = nil, seeing record: Record? = nil) throws -> [RawLog]
  {
    try numbers.map { number in
      var log = RawLog(space: space.id, device: TestDevice(UInt64(number)), random: .zero)
      try log.join(
        invite ?? space.invite, name: "d", seeing: [record ?? space.registration], stamp: .at(5_000))
      return log
    }
  }

  @Test func `devices whose introduction is void by form are strangers, whatever they come by`() throws {
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions)
    let crowd = try (0..<Limits.strangersLogs + 40).map { number in
      try space.join(TestDevice(UInt64(number)), stamp: .at(1 << 50)).run
    }
    let reception = try listener.receive(crowd)
    #expect(reception.voids.count == Limits.strangersLogs)
    #expect(reception.blocked.count { $0.reason == .delayed } == 40)
    let honest = try space.join(TestDevice(9_999), stamp: .at(5_000))
    #expect(try listener.receive([honest.run]).voids.isEmpty)
    #expect(try listener.database.clock().positions.contains { $0.log == honest.id })
  }

  @Test func `an introduction that names an author is refused`() throws {
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions)
    let device = TestDevice(1)
    let log = RawLog(space: space.id, device: device, random: .zero)
    let introduction = Introduction(
      random: .zero, deviceKey: device.key, boxKey: device.boxKey, deviceName: "d",
      standing: space.invite.standing(of: device, space: space.id, random: .zero))
    let change = Change(
      parents: [space.registration.parent], stamp: .at(5_000), wallTime: 0, author: Key.of("x"),
      introduction: introduction)
    let reception = try listener.receive([log.run(of: [change.body])])
    #expect(reception.applied == 0)
    #expect(reception.refused.count == 1)
  }

  @Test func `a crowd is taken up to the limit of its invite, the rest waits, and the space goes on`() throws {
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions)
    let database = listener.database
    var founder = space.logs[space.founder]
    for number in 0..<Self.invites {
      let invite = RawInvite(seed: [UInt8](repeating: UInt8(number), count: 32))
      let registration = try founder.control([invite.operation], stamp: .at(4_000 + UInt64(number)))
      try listener.receive([registration])
      let start = 10_000 * (number + 1)
      let room = min(Limits.devicesPerInvite, Limits.logsPerSpace - (try database.clock().positions.count))
      let reception = try listener.receive(
        logs(start..<(start + Self.crowd), by: invite, seeing: registration).map(\.run))
      #expect(reception.applied == room && reception.refused.isEmpty && reception.voids.isEmpty)
      #expect(reception.blocked.count { $0.reason == .delayed } == Self.crowd - room)
    }
    // Who is in goes on, and so does this device.
    var honest = space.logs[1]
    let record = try honest.write([.put(PathKey("n"), .int(1))], stamp: .at(6_000))
    #expect(try listener.receive([record]).applied == 1)
    try database.write { try $0.setValue(2, at: try Path("m")) }
    let other = try Listener(space, seed: 1)
    try bring(database, to: other)
    #expect(try other.database.clock() == database.clock())
    #expect(try other.database.stateHash() == database.stateHash())
    database.close()
    let again = try Database.open(at: database.home, options: Fleet.options)
    defer { again.close() }
    #expect(try again.clock() == other.database.clock())
    #expect(try again.read { try $0.value(at: .root) } == Value(json: #"{"m": 2, "n": 1}"#))
    try again.write { try $0.setValue(3, at: try Path("m")) }
  }

  private func bring(_ database: Database, to other: Listener) throws {
    var outgoing = try database.outgoing(to: try other.database.clock())
    while true {
      let runs = try outgoing.next(maximumBytes: 1 << 20, from: database)
      if runs.isEmpty { return }
      try other.receive(runs)
    }
  }

  @Test func `beyond its limit an invite's devices wait for the word of one that came otherwise`() throws {
    let logs = try logs(0..<Self.crowd)
    let (first, last) = (logs[..<60], logs[60...])
    let listeners = try [[first, last], [last, first]].enumerated().map { number, order in
      let listener = try Listener(space, seed: UInt64(number))
      try listener.receive(space.introductions)
      for logs in order { try listener.receive(logs.map(\.run)) }
      return listener
    }
    let clocks = try listeners.map { try $0.database.clock() }
    #expect(Set(clocks).count == 2)
    // Two that came by the same invite, then the founder: each has seen all that is held back somewhere.
    let here = try listeners.map { try Set($0.database.clock().positions.map(\.log)) }
    let edges = logs.filter { log in !here.allSatisfy { $0.contains(log.id) } }.map { $0.records[0] }
    var crowd = try #require(logs.first { log in here.allSatisfy { $0.contains(log.id) } })
    var honest = space.logs[space.founder == 0 ? 1 : 0]
    var founder = space.logs[space.founder]
    for record in [
      try crowd.write([], seeing: edges, stamp: .at(7_000)), try honest.write([], seeing: edges, stamp: .at(7_000)),
    ] {
      for listener in listeners { #expect(try listener.receive([record]).applied == 0) }
    }
    #expect(try listeners.map { try $0.database.clock() } == clocks)
    let word = try founder.write([.put(PathKey("n"), .int(1))], seeing: edges, stamp: .at(8_000))
    for listener in listeners { #expect(try listener.receive([word]).applied > 1) }
    #expect(try listeners[0].database.clock() == listeners[1].database.clock())
    #expect(try listeners[0].database.stateHash() == listeners[1].database.stateHash())
    for listener in listeners {
      #expect(try listener.database.read { try $0.status() }.waitingCount == 0)
      #expect(try listener.database.hasChange(logs[0].records[0].position))
    }
  }

  @Test func `the word of a device that was given a role counts, whatever it came by`() throws {
    let logs = try logs(0..<Self.crowd)
    let listener = try Listener(space)
    try listener.receive(space.introductions)
    let delayed = try listener.receive(logs.map(\.run)).blocked.map(\.run)
    var honest = space.logs[space.founder == 0 ? 1 : 0]
    var founder = space.logs[space.founder]
    let late = try #require(delayed.first?.records().first)
    let word = try honest.write([.put(PathKey("n"), .int(1))], seeing: [late], stamp: .at(7_000))
    #expect(try listener.receive([word]).applied == 0)
    try listener.receive([try founder.control([.grant(device: honest.deviceKey, .member)], stamp: .at(8_000))])
    #expect(try listener.database.hasChange(late.position) && listener.database.hasChange(word.position))
  }

  @Test func `a newcomer whose invite has let in all that it can does not introduce itself, and is told`() throws {
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions[..<1] + [])
    try listener.receive(
      [ChangeRun](space.introductions.map(\.run).prefix(2)) + logs(0..<Limits.devicesPerInvite).map(\.run))
    #expect(try listener.database.isNewcomer())
    #expect {
      try listener.database.write { try $0.setValue(2, at: try Path("m")) }
    } throws: { error in
      (error as? TreeError)?.context.contains("lets in no more") ?? false
    }
  }
}
