import OfflineTree
import TestSupport
import Testing

/// What docs/merge.md says of ends and roles, story by story.
@Suite struct AuthorityRuleTests {
  private var space: AuthoritySpace

  init() throws { space = try AuthoritySpace() }

  private func expectVoid(
    _ void: [Int], of all: [Int], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for found in space.void(all) { #expect(found == Set(void), sourceLocation: sourceLocation) }
  }

  @Test mutating func `what an end had seen stays, and the rest is void`() {
    let seen = space.write(.memberM)
    let end = space.act(.ownerA, [.remove(.memberM)], seeing: [seen])
    let unseen = space.write(.memberM)
    let later = space.write(.memberM, seeing: [end, seen])
    expectVoid([unseen, later], of: [seen, end, unseen, later])
  }

  @Test mutating func `two owners cannot cut each other`() {
    let ends = [space.act(.ownerA, [.remove(.ownerB)]), space.act(.ownerB, [.remove(.ownerA)])]
    let writes = [space.write(.ownerA), space.write(.ownerB)]
    expectVoid([], of: ends + writes)
  }

  @Test mutating func `a member ends nobody but itself`() {
    let end = space.act(.memberM, [.remove(.memberN)])
    let write = space.write(.memberN)
    let leaving = space.act(.memberM, [.remove(.memberM)])
    let late = space.write(.memberM)
    expectVoid([end, late], of: [end, write, leaving, late].filter { $0 != end } + [end])
  }

  @Test mutating func `an end of an end gives back what it voided`() {
    let end = space.act(.ownerA, [.remove(.memberM)])
    let write = space.write(.memberM)
    expectVoid([write], of: [end, write])
    let above = space.act(.founder, [.remove(.ownerA)])
    expectVoid([end], of: [end, write, above])
  }

  @Test mutating func `an end that was seen by the end from above stays`() {
    let end = space.act(.ownerA, [.remove(.memberM)])
    let write = space.write(.memberM)
    let above = space.act(.founder, [.remove(.ownerA)], seeing: [end])
    expectVoid([write], of: [end, write, above])
  }

  @Test mutating func `the recovery code reaches the founder, and nothing reaches the recovery code`() {
    let end = space.act(.founder, [.remove(.memberM)])
    let recovery = space.act(.memberM, [.grant(.owner, .memberM), .remove(.founder)], isRecovery: true)
    let late = space.write(.founder)
    let promoted = space.act(.memberM, [.grant(.reader, .memberN)], seeing: [recovery])
    expectVoid([end, late], of: [end, recovery, late, promoted])
  }

  @Test mutating func `what a role allowed is void when the role is taken back unseen`() {
    let demotion = space.act(.founder, [.demote(.ownerA)])
    let unseen = space.act(.ownerA, [.remove(.memberM)])
    let write = space.write(.ownerA)
    let again = space.act(.founder, [.grant(.member, .ownerA)], seeing: [demotion])
    let after = space.write(.ownerA, seeing: [again])
    expectVoid([unseen, write], of: [demotion, unseen, write, again, after])
  }

  @Test mutating func `a change that takes a role back and gives another one leaves the other one`() {
    let demotion = space.act(.founder, [.demote(.ownerA), .grant(.member, .ownerA)])
    let unseen = space.act(.ownerA, [.grant(.reader, .memberN)])
    let write = space.write(.ownerA, seeing: [demotion])
    let act = space.act(.ownerA, [.grant(.reader, .memberN)], seeing: [demotion])
    expectVoid([unseen, act], of: [demotion, unseen, write, act])
  }

  @Test mutating func `what was given again can be taken back again`() {
    let first = space.act(.founder, [.demote(.ownerA), .grant(.member, .ownerA)])
    let again = space.act(.founder, [.grant(.owner, .ownerA)], seeing: [first])
    let between = space.act(.ownerA, [.grant(.reader, .memberN)], seeing: [again])
    let second = space.act(.founder, [.demote(.ownerA), .grant(.member, .ownerA)], seeing: [again, between])
    let after = space.act(.ownerA, [.grant(.reader, .memberN)], seeing: [second])
    expectVoid([after], of: [first, again, between, second, after])
  }

  @Test mutating func `an owner does not take a role back from another owner`() {
    let demotion = space.act(.ownerA, [.demote(.ownerB)])
    let act = space.act(.ownerB, [.grant(.reader, .memberM)])
    let own = space.act(.ownerB, [.demote(.ownerB)])
    let late = space.act(.ownerB, [.grant(.reader, .memberN)])
    expectVoid([late], of: [demotion, own, late])
    expectVoid([act, late], of: [act, late])
  }

  @Test mutating func `readers read, whatever else they put into a change`() {
    let name = space.act(.reader, [.deviceName("r")])
    let write = space.write(.reader)
    let both = space.act(.reader, [.deviceName("r")], writes: true)
    let promoted = space.act(.reader, [.grant(.member, .reader)], writes: true)
    let promotion = space.act(.ownerA, [.grant(.member, .reader)])
    let after = space.write(.reader, seeing: [promotion])
    expectVoid([write, both, promoted], of: [name, write, both, promoted, promotion, after])
  }

  @Test(arguments: [
    (Role.member, false, [AuthoritySpace.Device.memberM, .memberN, .reader]), (.member, true, [.reader]),
    (.owner, true, [.ownerA, .ownerB, .memberM, .memberN, .reader]),
  ])
  func `who may invite depends on the space and the role`(
    role: Role, membersMayInvite: Bool, refused: [AuthoritySpace.Device]
  ) throws {
    var space = try AuthoritySpace(membersMayInvite: membersMayInvite)
    for device in AuthoritySpace.Device.allCases {
      let act = space.act(device, [.register(ControlHistory.invite(10 + device.rawValue), role)])
      for found in space.void([act]) { #expect(found.isEmpty == !refused.contains(device), "\(device)") }
    }
  }

  @Test mutating func `only the founder makes owners, and owners give roles`() {
    let grants = AuthoritySpace.Device.allCases.map { space.act($0, [.grant(.owner, .memberM)]) }
    let lesser = AuthoritySpace.Device.allCases.map { space.act($0, [.grant(.reader, .memberN)]) }
    expectVoid(Array(grants[1...]) + Array(lesser[3...]), of: grants + lesser)
  }

  @Test mutating func `one act that is not allowed voids the whole change`() {
    let act = space.act(.ownerA, [.remove(.memberM), .grant(.owner, .ownerA)])
    let write = space.write(.memberM)
    expectVoid([act], of: [act, write])
  }
}
