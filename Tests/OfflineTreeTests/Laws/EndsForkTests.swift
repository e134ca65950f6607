import OfflineTree
import TestSupport
import Testing

/// Copies of a device: what shows that it has two histories, and what ends them.
@Suite struct EndsForkTests {
  private let n = PathKey("n").path

  private func write(_ fleet: Fleet, _ index: Int, _ number: Int64) throws {
    try fleet[index].write { try $0.increment(self.n, by: .int(number)) }
  }

  /// Two that hold one branch each of a log, of equal length; the copy is the last member.
  private func twins(_ seed: UInt64) throws -> Fleet {
    let fleet = try Fleet(4, seed: seed)
    try fleet.meetAll()
    try write(fleet, 3, 1)
    try fleet.meetAll()
    let backup = try fleet.backUp(3)
    try write(fleet, 3, 10)
    try fleet.send(from: 3, to: 1)
    try fleet.restore(3, from: backup, inPlace: true)
    try write(fleet, 3, 100)
    try fleet.send(from: 3, to: 2)
    return fleet
  }

  @Test func `two that hold one branch each find out by their clocks, though the numbers are equal`() throws {
    let fleet = try twins(1)
    let (one, other) = (try fleet[1].clock(), try fleet[2].clock())
    let log = try #require(try fleet[1].read { try $0.logs() }.first { $0.deviceKey == fleet[3].deviceKey }?.introduced)
    #expect(one.positions.first { $0.log == log }?.seq == other.positions.first { $0.log == log }?.seq)
    #expect(one != other)
    try fleet.send(from: 1, to: 2)
    for index in [2] { #expect(try fleet[index].read { try $0.status() }.forks == [log]) }
    #expect(try fleet[1].read { try $0.status() }.forks.isEmpty)
    try fleet.send(from: 2, to: 1)
    #expect(try fleet[1].read { try $0.status() }.forks == [log])
    for index in [1, 2] { #expect(try fleet[index].value(at: "n") == .int(111)) }
  }

  @Test func `both branches' signed heads are kept, prove the fork, and prove it to whoever gets them`() throws {
    let fleet = try twins(2)
    try fleet.send(from: 1, to: 2)
    try fleet.send(from: 2, to: 0)
    for index in [0, 2] {
      let proof = try #require(try fleet[index].read { try $0.forkProofs() }.first)
      #expect(proof.deviceKey == fleet[3].deviceKey)
      #expect(proof.heads.count == 2)
      #expect(Set(proof.heads.map(\.hash)).count == 2)
      #expect(Set(proof.heads.map(\.seq)).count == 1)
      #expect(proof.isSigned(space: fleet[0].spaceID))
      #expect(!proof.isSigned(space: .zero))
    }
    #expect(try fleet[1].read { try $0.forkProofs() }.isEmpty)
  }

  @Test func `the end of a log covers branches that turn up later, and leaves the device its next log`() throws {
    let fleet = try twins(3)
    let log = try #require(try fleet[1].read { try $0.logs() }.first { $0.deviceKey == fleet[3].deviceKey }?.introduced)
    try fleet.send(from: 1, to: 0)
    try fleet[0].end(log: log)
    try fleet.send(from: 2, to: 0)
    #expect(try fleet[0].value(at: "n") == .int(11))
    try fleet.meetAll()
    try write(fleet, 3, 1_000)
    try fleet.meetAll()
    #expect(try fleet[0].value(at: "n") == .int(1_011))
    try fleet.expectConverged()
  }

  @Test func `the end of a device covers its copies`() throws {
    let fleet = try Fleet(3, seed: 4)
    try fleet.meetAll()
    try fleet.clone(2)
    try write(fleet, 2, 1)
    try write(fleet, 3, 10)
    try fleet.send(from: 2, to: 0)
    try fleet[0].removeMembers([fleet[2].deviceKey])
    try fleet.meetAll()
    #expect(try fleet[1].value(at: "n") == .int(1))
    for copy in [2, 3] {
      #expect {
        try write(fleet, copy, 100)
      } throws: { error in (error as? TreeError)?.code == .refused }
    }
    try fleet.expectConverged()
  }

  @Test func `what an end had seen stays when a fork below it turns up`() throws {
    let space = try ModelSpace(devices: ["a", "b"], seed: 6)
    var founder = ModelDevice(space.logs[space.founder], knowing: space.introductions)
    var other = ModelDevice(space.logs[1 - space.founder], knowing: space.introductions)
    let copy = other
    var records = space.introductions
    for number in [1, 10] as [Int64] {
      records.append(try other.append([.increment("n", by: number)], at: 1_000 + number))
    }
    founder.learn(records)
    records.append(try founder.control([.end(.log(other.log.id))], at: 2_000))
    let listener = try Listener(space)
    try listener.receive(records)
    #expect(try listener.database.value(at: "n") == .int(11))
    var branch = ModelDevice(copy.log.prefix(1), knowing: space.introductions)
    try listener.receive([try branch.append([.increment("n", by: 100)], at: 3_000)])
    #expect(try listener.database.value(at: "n") == .int(11))
    #expect(try listener.database.verify().problems.isEmpty)
  }
}
