import TestSupport
import Testing

@testable import OfflineTree

/// What a device does by itself, or is told to do, where there is more of it than usual, or where it may not.
@Suite struct OwnActsTests {
  private func code(_ act: () throws -> Void) -> TreeError.Code? {
    do {
      try act()
      return nil
    } catch {
      return (error as? TreeError)?.code
    }
  }

  /// Registers so many invites of the database's own device.
  private func register(_ count: Int, notAfter: UInt64 = 0, in database: Database) throws {
    for start in stride(from: 0, to: count, by: 2_000) {
      let operations = (start..<min(start + 2_000, count)).map { number in
        ControlOperation.invite(
          ControlOperation.InviteTerms(
            publicKey: Sodium.hash32([UInt8(number & 255), UInt8(number >> 8), 1]), role: .member, notAfter: notAfter))
      }
      try database.submit { rows, state in
        let draft = Replica.Draft(controls: operations.normalized, wallTime: 0)
        try state.write(draft, deviceName: "d", environment: database.environment, rows)
        try state.flush(rows)
      }
    }
  }

  private func openCount(_ database: Database) throws -> Int {
    try database.view { _, replica in replica.openInvites(endableBy: .recovery).count }
  }

  private func voidCount(_ database: Database) throws -> Int {
    try database.view { _, replica in replica.authority.verdicts.count { $0 != nil } }
  }

  @Test func `a removal ends all open invites, however many there are`() throws {
    let fleet = try Fleet(3, seed: 1)
    try fleet.meetAll()
    try register(2_300, in: fleet[0])
    try fleet[0].removeMembers([fleet[2].deviceKey])
    #expect(try openCount(fleet[0]) == 0 && voidCount(fleet[0]) == 0)
    try register(1_200, in: fleet[0])
    try fleet.send(from: 0, to: 1)
    try fleet[1].recoverOwner(fleet.recovery, removing: [fleet[0].deviceKey])
    #expect(try openCount(fleet[1]) == 0 && voidCount(fleet[1]) == 0)
  }

  @Test func `invites whose time is over are ended, however many there are`() throws {
    let fleet = try Fleet(1, seed: 2)
    try register(Limits.changeControls + 200, notAfter: 1_000_001, in: fleet[0])
    let before = try openCount(fleet[0])
    fleet.members[0].clock.advance(by: 10)
    try fleet[0].upkeep()
    #expect(try openCount(fleet[0]) == before - Limits.changeControls - 200)
    #expect(try voidCount(fleet[0]) == 0)
  }

  @Test func `acts that do not fit into a change are refused with advice, and none is done`() throws {
    let fleet = try Fleet(1, seed: 3)
    let database = fleet[0]
    let clock = try database.clock()
    let operations = (0...Limits.changeControls).map { ControlOperation.deviceName("name \($0)") }.normalized
    #expect {
      try database.submit { rows, state in
        let draft = Replica.Draft(controls: operations, wallTime: 0)
        try state.write(draft, deviceName: "d", environment: database.environment, rows)
      }
    } throws: { error in
      let error = error as? TreeError
      return error?.code == .limitExceeded && error?.advice.isEmpty == false
    }
    #expect(try database.clock() == clock)
  }

  @Test func `what a device cannot do by itself is told, and what it received is kept`() throws {
    let fleet = try Fleet(2, seed: 4, membersMayInvite: true)
    try fleet.meetAll()
    let database = fleet[1]
    try register(1, notAfter: 1, in: database)
    try database.submit { rows, state in
      // No stamp is above this one, so that nothing more can be written.
      let log = try #require(state.currentLog)
      state.logs[log].ceiling = Stamp(milliseconds: .max, counter: .max)
      state.changedLogs.insert(log)
      try state.flush(rows)
    }
    try fleet[0].renameDevice("new")
    let reception = try database.receive(try Fleet.runs(of: fleet[0]), keepBlocked: true)
    #expect(reception.applied == 1 && reception.problems.map(\.code) == [.limitExceeded])
    #expect(try database.read { try $0.logs() }.contains { $0.deviceName == "new" })
  }

  @Test func `who lacks the key of now makes no invite`() throws {
    let fleet = try Fleet(1, seed: 5, membersMayInvite: true)
    let late = try fleet.join(by: fleet.invite)
    try fleet.send(from: 0, to: late)
    try fleet[0].rotate()
    try fleet.send(from: 0, to: late)
    let clock = try fleet[late].clock()
    #expect(code { _ = try fleet[late].invite() } == .unavailable)
    #expect(try fleet[late].clock() == clock)
    try fleet.meetAll()
    try fleet[0].upkeep()
    try fleet.meetAll()
    #expect(code { _ = try fleet[late].invite() } == nil)
  }

  @Test func `owners do not change each other's role, nor the founder's`() throws {
    let fleet = try Fleet(3, seed: 6)
    try fleet.meetAll()
    for index in [1, 2] { try fleet[0].grant(.owner, to: fleet[index].deviceKey) }
    try fleet.meetAll()
    let clock = try fleet[1].clock()
    for role in [Role.reader, .member, .owner] {
      for other in [0, 2] { #expect(code { try fleet[1].grant(role, to: fleet[other].deviceKey) } == .refused) }
    }
    #expect(try fleet[1].clock() == clock)
    // The founder may.
    try fleet[0].grant(.reader, to: fleet[2].deviceKey)
    #expect(try fleet[0].view { _, replica in replica.authority.rank(of: fleet[2].deviceKey) } == .reader)
  }

  @Test func `a newcomer introduces itself where more logs end than one change can name`() throws {
    let space = try ModelSpace(devices: ["a", "b"], seed: 8)
    var founder = space.logs[space.founder]
    let more = RawInvite(seed: [UInt8](repeating: 5, count: 32))
    let registration = try founder.control([more.operation], stamp: .at(1_000))
    let last = try founder.control([space.invite.operation, .deviceName("f")].normalized, stamp: .at(1_001))
    let crowd = try (0..<UInt64(Limits.changeParents + 20)).map { number in
      var log = RawLog(space: space.id, device: TestDevice(number), random: .zero)
      return try log.join(more, name: "d", seeing: [registration], stamp: .at(2_000))
    }
    _ = last
    let listener = try Listener(space, isMember: true)
    try listener.receive(crowd + [registration])
    try listener.receive(space.introductions)
    let database = listener.database
    #expect(try !database.isNewcomer())
    try database.write { try $0.setValue(.int(1), at: try Path("n")) }
    #expect(try voidCount(database) == 0)
    try database.view { _, replica in
      #expect(replica.frontier.count == 1)
      #expect(replica.logs.count >= Limits.changeParents)
    }
    let other = try Listener(space, seed: 3)
    let reception = try other.receive(try Fleet.runs(of: database))
    #expect(reception.voids.isEmpty)
    #expect(try other.database.stateHash() == database.stateHash())
  }
}
