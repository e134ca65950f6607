import OfflineTree
import TestSupport
import Testing

/// Law 1: equal sets of changes are equal trees, conflicts and state hashes, whatever the way they came.
@Suite struct ConvergenceTests {
  @Test(arguments: Seeds.scaled(200))
  func `replicas that have the same changes show the same, and what the model says`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(Int.random(in: 2...5, using: &random), seed: seed)
    for _ in 0..<Int.random(in: 8...30, using: &random) {
      if fleet.random.chance(60) {
        try fleet.writeRandomly(fleet.pick())
      } else {
        let (from, to) = fleet.pickPair()
        try fleet.send(from: from, to: to, .random(&fleet.random))
        try fleet.expectEqual(from, to)
      }
      if fleet.random.chance(10) { try fleet.reopen(fleet.pick()) }
    }
    try fleet.expectModel(fleet.pick(), "before the last meeting")
    try fleet.meetAll()
    try fleet.expectConverged()
  }
}
