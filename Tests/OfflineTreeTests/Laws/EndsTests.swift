import OfflineTree
import TestSupport
import Testing

/// Authority as people use it, between real homes.
@Suite struct EndsTests {
  private let n = PathKey("n").path

  private func write(_ fleet: Fleet, _ index: Int, _ number: Int64) throws {
    try fleet[index].write { try $0.increment(self.n, by: .int(number)) }
  }

  private func expectRefused(sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void) {
    #expect(sourceLocation: sourceLocation) {
      try body()
    } throws: { error in
      (error as? TreeError)?.code == .refused
    }
  }

  private func member(_ fleet: Fleet, _ of: Int, seenBy index: Int) throws -> OfflineTree.Member {
    try #require(try fleet[index].members().first { $0.deviceKey == fleet[of].deviceKey })
  }

  @Test func `what a removed device wrote unseen is undone, and comes back when the remover is removed`() throws {
    let fleet = try Fleet(4, seed: 1)
    try fleet.meetAll()
    try fleet[0].grant(.owner, to: fleet[1].deviceKey)
    try fleet.meetAll()
    try write(fleet, 2, 1)
    try fleet.meetAll()
    try write(fleet, 2, 10)
    try fleet.send(from: 2, to: 3)
    #expect(try fleet[3].value(at: "n") == .int(11))
    try fleet[1].removeMembers([fleet[2].deviceKey])
    // The founder has not heard of it.
    try fleet[0].removeMembers([fleet[1].deviceKey])
    try fleet.send(from: 1, to: 3)
    #expect(try fleet[3].value(at: "n") == .int(1))
    #expect(try member(fleet, 2, seenBy: 3).isEnded)
    #expect(try fleet[3].read { try $0.status() }.voids.map(\.reason) == ["its device was removed by d1"])
    try fleet.send(from: 0, to: 3)
    #expect(try fleet[3].value(at: "n") == .int(11))
    #expect(try !member(fleet, 2, seenBy: 3).isEnded)
    #expect(try member(fleet, 1, seenBy: 3).isEnded)
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `a removed device reads on and writes no more once it has heard`() throws {
    let fleet = try Fleet(3, seed: 2)
    try fleet.meetAll()
    try fleet[0].removeMembers([fleet[2].deviceKey])
    try write(fleet, 2, 1)
    try fleet.send(from: 0, to: 2)
    #expect(try fleet[2].value(at: "n").isNull)
    expectRefused { try write(fleet, 2, 10) }
    expectRefused { try fleet[2].renameDevice("again") }
    #expect(try fleet[1].standing(of: fleet[2].deviceKey) == .member)
    try fleet.send(from: 0, to: 1)
    #expect(try fleet[1].standing(of: fleet[2].deviceKey) == .ended)
    #expect(try fleet[2].admits(fleet[2].claim() ?? []) == nil)
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `who left writes no more, and what it wrote stays`() throws {
    let fleet = try Fleet(3, seed: 3)
    try fleet.meetAll()
    try write(fleet, 2, 1)
    try fleet[2].leave()
    expectRefused { try write(fleet, 2, 10) }
    try fleet.meetAll()
    #expect(try fleet[0].value(at: "n") == .int(1))
    #expect(try member(fleet, 2, seenBy: 0).isEnded)
    #expect(try member(fleet, 2, seenBy: 0).endedBy == "d2")
    try fleet.expectConverged()
  }

  @Test func `readers are refused, members do not remove, and owners do not make owners`() throws {
    let fleet = try Fleet(3, seed: 4)
    try fleet.meetAll()
    try fleet[0].grant(.reader, to: fleet[2].deviceKey)
    try fleet[0].grant(.owner, to: fleet[1].deviceKey)
    try fleet.meetAll()
    expectRefused { try write(fleet, 2, 1) }
    try fleet[2].renameDevice("reader")
    expectRefused { try fleet[2].removeMembers([fleet[1].deviceKey]) }
    expectRefused { _ = try fleet[2].invite() }
    expectRefused { try fleet[1].grant(.owner, to: fleet[2].deviceKey) }
    try fleet[1].grant(.member, to: fleet[2].deviceKey)
    try fleet.meetAll()
    try write(fleet, 2, 1)
    expectRefused { _ = try fleet[2].invite() }
    expectRefused { _ = try fleet[1].invite(role: .owner) }
    try fleet.meetAll()
    #expect(try member(fleet, 2, seenBy: 0).name == "reader")
    try fleet.expectConverged()
  }

  @Test func `a lost founder is replaced with the recovery code`() throws {
    let fleet = try Fleet(3, seed: 5)
    try fleet.meetAll()
    let wrong = RecoveryCode(environment: TestClock(seed: 9).environment)
    expectRefused { try fleet[1].recoverOwner(wrong) }
    try write(fleet, 0, 1)
    try fleet[1].recoverOwner(try RecoveryCode(parsing: fleet.recovery.text), removing: [fleet[0].deviceKey])
    #expect(try member(fleet, 1, seenBy: 1).role == .owner)
    try fleet[1].removeMembers([fleet[2].deviceKey])
    try fleet.send(from: 1, to: 0)
    expectRefused { try write(fleet, 0, 10) }
    #expect(try fleet[0].value(at: "n").isNull)
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `a newcomer who joined by an invite that was ended is out, also with what it wrote`() throws {
    let fleet = try Fleet(2, seed: 6)
    try fleet.meetAll()
    let invite = try fleet[0].invite()
    let status = try #require(try fleet[0].invites().last)
    try fleet.send(from: 0, to: 1)
    let late = try fleet.join(by: invite)
    try fleet.send(from: 1, to: late)
    try write(fleet, late, 1)
    try fleet.send(from: late, to: 1)
    #expect(try fleet[1].value(at: "n") == .int(1))
    try fleet[0].endInvite(status.publicKey)
    try fleet.meetAll()
    #expect(try fleet[1].value(at: "n").isNull)
    #expect(try fleet[1].standing(of: fleet[late].deviceKey) == .ended)
    expectRefused { try write(fleet, late, 10) }
    let second = try fleet.join(by: invite)
    try fleet.meetAll()
    expectRefused { try write(fleet, second, 10) }
    try fleet.expectConverged()
  }

  @Test func `removing one ends every invite that stands open`() throws {
    let fleet = try Fleet(3, seed: 7)
    try fleet.meetAll()
    let invite = try fleet[0].invite()
    try fleet[0].removeMembers([fleet[2].deviceKey])
    #expect(try fleet[0].invites().allSatisfy { !$0.isOpen })
    let late = try fleet.join(by: invite)
    try fleet.meetAll()
    expectRefused { try write(fleet, late, 1) }
    #expect(try fleet[0].standing(of: fleet[late].deviceKey) == .unknown)
    #expect(try fleet[0].admits(fleet[late].claim() ?? []) == nil)
    try fleet.expectConverged()
  }

  @Test func `an invite that another member registered as well is ended once when its time is over`() throws {
    let space = try ModelSpace(devices: ["a", "b"], membersMayInvite: true, seed: 8)
    let member = try Listener(space, isMember: true)
    try member.receive(space.introductions)
    _ = try member.database.invite(expires: 5_000)
    var liar = ModelDevice(space.logs[1 - space.founder], knowing: space.introductions)
    liar.learn(try Fleet.records(of: member.database))
    let key = try #require(try member.database.invites().last).publicKey
    let again = try liar.control([.invite(ControlOperation.InviteTerms(publicKey: key, role: .member))], at: 1_000)
    try member.receive([again])
    member.clock.advance(by: 10_000)
    for _ in 0..<3 { try member.database.upkeep() }
    let ends = try Fleet.records(of: member.database).filter {
      $0.change?.controls.contains(.end(.invite(key))) ?? false
    }
    #expect(ends.count == 1)
    #expect(try member.database.invites().filter { $0.publicKey == key }.allSatisfy(\.isOpen))
  }
}
