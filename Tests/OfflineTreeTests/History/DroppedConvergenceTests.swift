import OfflineTree
import TestSupport
import Testing

/// Law 6 in a fleet: members that drop at random, one that keeps all, copies and restored homes among them.
@Suite struct DroppedConvergenceTests {
  @Test(arguments: Seeds.scaled(100))
  func `replicas that drop at random show what a keeper shows`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(Int.random(in: 3...5, using: &random), seed: seed)
    let block = random.pick([1, 2, 4] as [UInt64])
    for index in fleet.members.indices.dropFirst() { try fleet[index].keepLittle(block: block) }
    var backups: [Int: String] = [:]
    for _ in 0..<Int.random(in: 20...50, using: &random) {
      let index = fleet.pick()
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<50: try fleet.writeRandomly(index)
      case 50..<70:
        let (from, to) = fleet.pickPair()
        try fleet.send(from: from, to: to, .random(&fleet.random))
        if random.chance(50) { try fleet[to].fetch(from: fleet[0]) }
        try fleet.expectEqual(from, to)
      case 70..<92: try fleet[index].drop(keepers: [fleet[0]])
      case 92..<94: backups[index] = try fleet.backUp(index)
      case 94..<96:
        // A keeper that is put back has lost what others rely upon: that is another test's.
        if index > 0, let backup = backups[index] {
          try fleet.restore(index, from: backup, inPlace: random.chance(50))
        }
      case 96..<98: if index > 0, fleet.members.count < 6 { try fleet.clone(index) }
      default: try fleet.reopen(index)
      }
    }
    try fleet.settle(keeper: 0)
    try fleet.expectConverged()
  }
}

extension Fleet {
  /// Everybody meets and fetches what it needs, until nobody learns anything.
  func settle(keeper: Int) throws {
    for _ in 0..<6 {
      try meetAll()
      var filled = 0
      for index in members.indices { filled += try self[index].fetch(from: self[keeper]) }
      let clock = try self[keeper].clock()
      if try filled == 0 && members.allSatisfy({ try $0.database.clock() == clock }) { return }
    }
  }
}
