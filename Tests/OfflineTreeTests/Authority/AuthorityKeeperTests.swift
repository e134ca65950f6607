import OfflineTree
import TestSupport
import Testing

@Suite struct AuthorityKeeperTests {
  /// Who the keepers are, in the eyes of replicas that heard of everything in several orders.
  private func keepers(_ space: AuthoritySpace) -> Set<[Bytes32]> {
    var random = SeededRandom(seed: UInt64(space.history.changes.count))
    var answers: Set<[Bytes32]> = []
    for round in 0..<8 {
      var replica = ControlReplica(space.history)
      for index in space.history.causalOrder(&random) { replica.add(index) }
      if round > 5 { replica.rejudge() }
      answers.insert(replica.authority.keepers)
    }
    return answers
  }

  private func sorted(_ devices: AuthoritySpace.Device...) -> Set<[Bytes32]> { [devices.map(\.key).sorted()] }

  @Test func `the founder's device keeps history from the genesis on`() throws {
    #expect(keepers(try AuthoritySpace()) == sorted(.founder))
  }

  @Test func `every device may keep, whatever its role, and stop`() throws {
    var space = try AuthoritySpace()
    let reader = space.act(.reader, [.keep(true)])
    space.act(.memberM, [.keep(true)])
    #expect(keepers(space) == sorted(.founder, .memberM, .reader))
    space.act(.reader, [.keep(false)], seeing: [reader])
    space.act(.founder, [.keep(false)])
    #expect(keepers(space) == sorted(.memberM))
  }

  @Test func `a device that was ended is no keeper`() throws {
    var space = try AuthoritySpace()
    space.act(.memberM, [.keep(true)])
    space.act(.ownerA, [.remove(.memberM)])
    #expect(keepers(space) == sorted(.founder))
  }

  @Test func `a void word was not said`() throws {
    var space = try AuthoritySpace()
    let word = space.act(.memberM, [.keep(true)])
    // Beside a grant that a member may not make, the whole change is void.
    space.act(.memberM, [.keep(false), .grant(.member, .memberN)], seeing: [word])
    #expect(keepers(space) == sorted(.founder, .memberM))
  }

  @Test func `nobody is left when the founder stops and nobody else keeps`() throws {
    var space = try AuthoritySpace()
    space.act(.founder, [.keep(false)])
    #expect(keepers(space) == [[]])
  }

  @Test(arguments: Seeds.scaled(100))
  func `keepers are the same in every order of arrival`(seed: UInt64) throws {
    let history = try RandomControls(seed: seed, count: 40).history
    var random = SeededRandom(seed: seed &+ 7)
    var answers: Set<[Bytes32]> = []
    for round in 0..<4 {
      var replica = ControlReplica(history)
      for index in history.causalOrder(&random) { replica.add(index) }
      if round == 3 { replica.rejudge() }
      answers.insert(replica.authority.keepers)
    }
    #expect(answers.count == 1)
  }

  @Test func `random histories have keepers beside the founder, and spaces without one`() throws {
    var counts: Set<Int> = []
    for seed in UInt64(0)..<100 {
      var replica = ControlReplica(try RandomControls(seed: seed, count: 40).history)
      for index in replica.history.changes.indices { replica.add(index) }
      counts.insert(replica.authority.keepers.count)
    }
    #expect(counts.contains(0) && counts.contains(1) && counts.contains { $0 > 1 })
  }

  @Test func `a word is one byte, of which two values are known, and one a change`() throws {
    #expect(ControlOperation.keep(true).encoded == [1])
    #expect(ControlOperation.keep(false).encoded == [0])
    #expect(!ControlOperation.isNormal([.keep(false), .keep(true)]))
    #expect(ControlOperation.isNormal([.keep(true)]))
  }
}
