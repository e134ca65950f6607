import OfflineTree
import TestSupport
import Testing

/// What a member can do to others' work by acts of authority without end.
@Suite struct AuthorityFloodTests {
  @Test func `ends without effect are not kept`() throws {
    var space = try AuthoritySpace()
    var last = space.beginning
    for _ in 0..<200 {
      last = space.act(.memberM, [.demote(.memberM), .remove(.memberM), .remove(.memberN)], seeing: [last])
      last = space.act(.memberM, [.demote(.memberM)], seeing: [last])
      last = space.act(.ownerA, [.remove(.memberN), .demote(.memberN)], seeing: [last])
    }
    var replica = ControlReplica(space.history)
    for index in space.history.changes.indices { replica.add(index) }
    #expect(replica.authority.ends.count < 8)
    #expect(replica.authority.ends.count > 2)
    let first = replica.authority.ends
    replica.rejudge()
    #expect(replica.authority.ends == first)
  }

  @Test func `ends of what nobody uses stand beside the others, as if all were judged anew`() throws {
    var space = try AuthoritySpace(membersMayInvite: true)
    var last = space.beginning
    for number in 0..<60 {
      let invite = ControlHistory.invite(40 + number)
      last = space.act(.memberM, [.register(invite)], seeing: [last])
      last = space.act(.memberM, [.end(.invite(invite))], seeing: [last])
      last = space.act(.ownerA, [.end(.device(ControlHistory.device(100 + number)))], seeing: [last])
    }
    var replica = ControlReplica(space.history)
    for index in space.history.changes.indices { replica.add(index) }
    let standing = replica.authority.ends
    #expect(standing.count == 120)
    replica.rejudge()
    #expect(replica.authority.ends.count == 120 && standing.allSatisfy { replica.authority.ends.contains($0) })
  }
}
