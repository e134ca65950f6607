import OfflineTree
import TestSupport
import Testing

/// Law 6, as far as all replicas keep all history: a full replay, in any causal order, gives the same replica.
@Suite struct ReplayTests {
  @Test(arguments: Seeds.scaled(40))
  func `a replay in another order equals the replica that lived through it`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(Int.random(in: 2...4, using: &random), seed: seed)
    for _ in 0..<25 {
      try fleet.writeRandomly(fleet.pick())
      let (from, to) = fleet.pickPair()
      if random.chance(40) { try fleet.send(from: from, to: to) }
    }
    try fleet.meetAll()
    let records = try fleet.signedRecords(of: 0)
    let paths = ModelTree.priorityPaths(records)
    let shown = try Shown(fleet[0], priorities: paths)
    for round in 0..<3 {
      let listener = try Listener(hearing: fleet[0], seed: UInt64(round))
      var left = records.shuffled(using: &random)
      while !left.isEmpty {
        let count = Int.random(in: 1...left.count, using: &random)
        try listener.receive(Array(left.prefix(count)))
        left.removeFirst(count)
      }
      #expect(try listener.database.clock() == fleet[0].clock(), "seed \(seed), round \(round)")
      #expect(try Shown(listener.database, priorities: paths) == shown, "seed \(seed), round \(round)")
      #expect(try listener.database.stateHash() == fleet[0].stateHash(), "seed \(seed), round \(round)")
    }
  }
}
