import OfflineTree
import TestSupport
import Testing

/// Law 3: a change counts once, however often it arrives, and by whatever way.
@Suite struct ExactlyOnceTests {
  private let path = PathKey("n").path

  @Test(arguments: Seeds.scaled(60))
  func `every increment counts once on every replica that has it`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(Int.random(in: 2...5, using: &random), seed: seed)
    for _ in 0..<30 {
      if random.chance(50) {
        try fleet[fleet.pick()].write([.increment(path, .int(Int64.random(in: -5...5, using: &random)))])
      } else {
        let (from, to) = fleet.pickPair()
        var manner = Fleet.Manner.random(&random)
        manner.repeats = true
        try fleet.send(from: from, to: to, manner)
      }
      if random.chance(10) { try fleet.reopen(fleet.pick()) }
      try expectSum(fleet, fleet.pick())
    }
    try fleet.meetAll()
    for index in fleet.members.indices { try expectSum(fleet, index) }
    try fleet.expectConverged()
  }

  private func expectSum(_ fleet: Fleet, _ index: Int) throws {
    var sum: Int64?
    for record in try Fleet.records(of: fleet[index]) {
      for case .increment(_, .int(let number)) in record.change?.operations ?? [] { sum = (sum ?? 0) + number }
    }
    let value = try fleet[index].read { try $0.scalar(at: path) }
    #expect(value == sum.map { .int($0) }, "seed \(fleet.seed), member \(index)")
  }

  @Test func `what arrives again changes nothing and is counted as a duplicate`() throws {
    let fleet = try Fleet(2, seed: 1)
    for _ in 0..<20 { try fleet.writeRandomly(0) }
    try fleet.send(from: 0, to: 1)
    let hash = try fleet[1].stateHash()
    let records = try Fleet.records(of: fleet[0])
    let reception = try fleet[1].receive(records.map(\.run), keepBlocked: true)
    #expect(reception.applied == 0)
    #expect(reception.duplicates == records.count)
    #expect(reception.blocked.isEmpty && reception.refused.isEmpty)
    #expect(try fleet[1].stateHash() == hash)
  }
}
