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
    let seen = space.write(.M)
    let end = space.act(.A, [.remove(.M)], seeing: [seen])
    let unseen = space.write(.M)
    let later = space.write(.M, seeing: [end, seen])
    expectVoid([unseen, later], of: [seen, end, unseen, later])
  }

  @Test mutating func `two owners cannot cut each other`() {
    let ends = [space.act(.A, [.remove(.B)]), space.act(.B, [.remove(.A)])]
    let writes = [space.write(.A), space.write(.B)]
    expectVoid([], of: ends + writes)
  }

  @Test mutating func `a member ends nobody but itself`() {
    let end = space.act(.M, [.remove(.N)])
    let write = space.write(.N)
    let leaving = space.act(.M, [.remove(.M)])
    let late = space.write(.M)
    expectVoid([end, late], of: [end, write, leaving, late].filter { $0 != end } + [end])
  }

  @Test mutating func `an end of an end gives back what it voided`() {
    let end = space.act(.A, [.remove(.M)])
    let write = space.write(.M)
    expectVoid([write], of: [end, write])
    let above = space.act(.F, [.remove(.A)])
    expectVoid([end], of: [end, write, above])
  }

  @Test mutating func `an end that was seen by the end from above stays`() {
    let end = space.act(.A, [.remove(.M)])
    let write = space.write(.M)
    let above = space.act(.F, [.remove(.A)], seeing: [end])
    expectVoid([write], of: [end, write, above])
  }

  @Test mutating func `the recovery code reaches the founder, and nothing reaches the recovery code`() {
    let end = space.act(.F, [.remove(.M)])
    let recovery = space.act(.M, [.grant(.owner, .M), .remove(.F)], isRecovery: true)
    let late = space.write(.F)
    let promoted = space.act(.M, [.grant(.reader, .N)], seeing: [recovery])
    expectVoid([end, late], of: [end, recovery, late, promoted])
  }

  @Test mutating func `what a role allowed is void when the role is taken back unseen`() {
    let demotion = space.act(.F, [.demote(.A)])
    let unseen = space.act(.A, [.remove(.M)])
    let write = space.write(.A)
    let again = space.act(.F, [.grant(.member, .A)], seeing: [demotion])
    let after = space.write(.A, seeing: [again])
    expectVoid([unseen, write], of: [demotion, unseen, write, again, after])
  }

  @Test mutating func `a change that takes a role back and gives another one leaves the other one`() {
    let demotion = space.act(.F, [.demote(.A), .grant(.member, .A)])
    let unseen = space.act(.A, [.grant(.reader, .N)])
    let write = space.write(.A, seeing: [demotion])
    let act = space.act(.A, [.grant(.reader, .N)], seeing: [demotion])
    expectVoid([unseen, act], of: [demotion, unseen, write, act])
  }

  @Test mutating func `an owner does not take a role back from another owner`() {
    let demotion = space.act(.A, [.demote(.B)])
    let act = space.act(.B, [.grant(.reader, .M)])
    let own = space.act(.B, [.demote(.B)])
    let late = space.act(.B, [.grant(.reader, .N)])
    expectVoid([late], of: [demotion, own, late])
    expectVoid([act, late], of: [act, late])
  }

  @Test mutating func `readers read, whatever else they put into a change`() {
    let name = space.act(.R, [.deviceName("r")])
    let write = space.write(.R)
    let both = space.act(.R, [.deviceName("r")], writes: true)
    let promoted = space.act(.R, [.grant(.member, .R)], writes: true)
    let promotion = space.act(.A, [.grant(.member, .R)])
    let after = space.write(.R, seeing: [promotion])
    expectVoid([write, both, promoted], of: [name, write, both, promoted, promotion, after])
  }

  @Test(arguments: [
    (Role.member, false, [AuthoritySpace.Device.M, .N, .R]), (.member, true, [.R]),
    (.owner, true, [.A, .B, .M, .N, .R]),
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
    let grants = AuthoritySpace.Device.allCases.map { space.act($0, [.grant(.owner, .M)]) }
    let lesser = AuthoritySpace.Device.allCases.map { space.act($0, [.grant(.reader, .N)]) }
    expectVoid(Array(grants[1...]) + Array(lesser[3...]), of: grants + lesser)
  }

  @Test mutating func `one act that is not allowed voids the whole change`() {
    let act = space.act(.A, [.remove(.M), .grant(.owner, .A)])
    let write = space.write(.M)
    expectVoid([act], of: [act, write])
  }
}
