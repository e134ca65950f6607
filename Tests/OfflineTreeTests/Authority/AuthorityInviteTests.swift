import OfflineTree
import TestSupport
import Testing

/// What docs/merge.md says of joining, story by story.
@Suite struct AuthorityInviteTests {
  private let newcomer = ControlHistory.device(20)
  private let invite = ControlHistory.invite(20)

  private func expectVoid(
    _ void: [Int], of all: [Int], _ space: AuthoritySpace, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for found in space.void(all) { #expect(found == Set(void), sourceLocation: sourceLocation) }
  }

  @Test func `the founder undoes an owner's removal, and with it what came of it`() throws {
    var space = try AuthoritySpace(membersMayInvite: true)
    let end = space.act(.ownerA, [.remove(.memberM)])
    let registration = space.act(.memberM, [.register(invite)])
    let join = space.join(newcomer, invite, seeing: [registration])
    let write = space.goOn(behind: join)
    expectVoid([registration, join, write], of: [end, registration, join, write], space)
    let above = space.act(.founder, [.remove(.ownerA)])
    expectVoid([end], of: [end, registration, join, write, above], space)
  }

  @Test func `a join by an invite that nobody registered, or one who may not, is void`() throws {
    var space = try AuthoritySpace()
    let wild = space.join(newcomer, invite, seeing: [space.beginning])
    let registration = space.act(.memberM, [.register(ControlHistory.invite(21))])
    let other = space.join(ControlHistory.device(21), ControlHistory.invite(21), seeing: [registration])
    let write = space.goOn(behind: other)
    expectVoid([wild, registration, other, write], of: [wild, registration, other, write], space)
  }

  @Test func `a removed device does not come back, by an old invite or a new one`() throws {
    var space = try AuthoritySpace()
    let end = space.act(.ownerA, [.remove(.memberM)])
    let old = space.join(
      AuthoritySpace.Device.memberM.key, AuthoritySpace.memberInvite, seeing: [space.beginning])
    let hidden = space.goOn(behind: old)
    let registration = space.act(.founder, [.register(invite)], seeing: [end])
    let seeing = space.join(AuthoritySpace.Device.memberM.key, invite, seeing: [registration])
    expectVoid([old, hidden, seeing], of: [end, old, hidden, seeing], space)
  }

  @Test func `an ended invite lets nobody in any more, and keeps who was seen`() throws {
    var space = try AuthoritySpace()
    let registration = space.act(.ownerA, [.register(invite)])
    let seen = space.join(newcomer, invite, seeing: [registration])
    let end = space.act(.ownerA, [.end(.invite(invite))], seeing: [registration, seen])
    let late = space.join(ControlHistory.device(21), invite, seeing: [registration])
    let write = space.goOn(behind: late)
    let fine = space.goOn(behind: seen, seeing: [end])
    expectVoid([late, write], of: [seen, late, write, fine], space)
  }

  @Test func `whoever registers another's invite again cannot end it as their own`() throws {
    var space = try AuthoritySpace(membersMayInvite: true)
    // It claims to have seen none of the joins, on a branch of its own.
    let again = space.actBlindly(.memberM, [.register(AuthoritySpace.memberInvite)])
    let end = space.actBlindly(.memberM, [.end(.invite(AuthoritySpace.memberInvite))], behind: again)
    let writes = [space.write(.ownerA), space.write(.memberN), end]
    expectVoid([], of: writes, space)
    // With what is its own it may do that.
    let registration = space.act(.memberM, [.register(invite)])
    let join = space.join(newcomer, invite, seeing: [registration])
    let open = space.act(.memberM, [.end(.invite(invite))], seeing: [registration])
    expectVoid([join], of: writes + [join, open], space)
  }

  @Test func `an owner does not cut another owner by the invite by which it came`() throws {
    var space = try AuthoritySpace()
    let registration = space.act(.founder, [.register(invite, .owner)])
    let join = space.join(newcomer, invite, seeing: [registration])
    let write = space.goOn(behind: join)
    let again = space.act(.ownerA, [.register(invite)])
    let end = space.act(.ownerA, [.end(.invite(invite))], seeing: [again])
    expectVoid([], of: [join, write, again, end], space)
  }

  @Test func `a founder who ends a leaked invite also ends what its thief ended`() throws {
    var space = try AuthoritySpace()
    let registration = space.act(.founder, [.register(invite, .owner)])
    let join = space.join(newcomer, invite, seeing: [registration, space.beginning])
    let theft = space.history.segments.count - 1
    let ends = space.act(on: theft, [.remove(.memberM)])
    let write = space.write(.memberM)
    expectVoid([write], of: [join, ends, write], space)
    space.act(.founder, [.end(.invite(invite))], seeing: [registration])
    expectVoid([join, ends], of: [join, ends, write], space)
  }

  @Test func `a further log of a device stands on what its beginning had seen`() throws {
    var space = try AuthoritySpace()
    let open = space.introduce(.memberM, seeing: [space.beginning])
    let blind = space.introduce(.memberM, seeing: [0])
    let writes = [space.goOn(behind: open), space.goOn(behind: blind, seeing: [space.beginning])]
    expectVoid([blind, writes[1]], of: [open, blind] + writes, space)
  }
}
