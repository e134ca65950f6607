import OfflineTree
import TestSupport
import Testing

/// Law 6 where authority is given, taken and lied about: a replica that dropped history equals one that keeps it all.
@Suite struct DroppedEndsTests {
  /// A keeper that has everything, one that drops, and one that gets the same and keeps it.
  private struct Three {
    let keeper: Listener
    let dropper: Listener
    let mirror: Listener
    /// The founder's word is that it keeps all.
    let founder: Bytes32

    init(_ made: EndsHistory, block: UInt64) throws {
      keeper = try Listener(made.space, seed: 0)
      dropper = try Listener(made.space, seed: 1)
      mirror = try Listener(made.space, seed: 2)
      founder = made.space.logs[made.space.founder].device.key
      try keeper.receive(made.records)
      try dropper.database.keepLittle(block: block)
    }

    func drop() throws -> Int {
      let clock = KeeperClock(device: founder, home: .zero, clock: try keeper.database.clock())
      return try dropper.database.compact(keepers: [clock]).droppedChanges
    }

    func expectSame(_ comment: String, paths: [Path]) throws -> Bool {
      guard try dropper.database.clock() == mirror.database.clock() else { return false }
      #expect(try dropper.database.stateHash() == mirror.database.stateHash(), "\(comment)")
      let left = try Shown(dropper.database, priorities: paths)
      #expect(try left == Shown(mirror.database, priorities: paths), "\(comment)")
      #expect(
        try dropper.database.read { try $0.status().voidCount } == mirror.database.read { try $0.status().voidCount })
      let problems = try dropper.database.verify().problems
      #expect(problems.isEmpty, "\(comment): \(problems)")
      return true
    }
  }

  @Test(arguments: Seeds.scaled(60))
  func `who drops history shows what who keeps it shows, with ends, roles and forks in every order`(seed: UInt64) throws
  {
    var random = SeededRandom(seed: seed)
    let made = try EndsHistory(seed: seed, count: 30 + Int(seed % 30))
    let three = try Three(made, block: random.pick([1, 2, 3, 4]))
    let paths = ModelTree.priorityPaths(made.records)
    var left = random.chance(50) ? made.records : made.records.shuffled(using: &random)
    while !left.isEmpty {
      let count = min(left.count, random.pick([1, 2, 5, 20]))
      try three.mirror.receive(Array(left.prefix(count)))
      try three.dropper.receive(Array(left.prefix(count)))
      left.removeFirst(count)
      if random.chance(40) { _ = try three.drop() }
      if random.chance(30) {
        try three.dropper.database.fetch(from: three.keeper.database, atOnce: random.pick([1, 3, 64]))
      }
      _ = try three.expectSame("seed \(seed), \(left.count) left", paths: paths)
    }
    try three.dropper.database.fetch(from: three.keeper.database)
    #expect(try three.dropper.database.wantedHistory(limit: 1).isEmpty, "seed \(seed)")
    let isSame = try three.expectSame("seed \(seed), at the end", paths: paths)
    let status = try three.dropper.database.read { try $0.status() }
    #expect(isSame, "seed \(seed): \(status)")
    #expect(try three.dropper.database.history().waitingChanges == 0, "seed \(seed)")
  }

  @Test func `the random histories drop, wait and fetch`() throws {
    var (dropped, waited, fetched) = (0, 0, 0)
    for seed in UInt64(0)..<15 {
      let made = try EndsHistory(seed: seed, count: 50)
      let three = try Three(made, block: 2)
      for record in made.records {
        try three.dropper.receive([record])
        dropped += try three.drop()
        if try three.dropper.database.history().waitingChanges > 0 { waited += 1 }
        fetched += try three.dropper.database.fetch(from: three.keeper.database)
      }
    }
    #expect(dropped > 100)
    #expect(waited > 10)
    #expect(fetched > 50)
  }
}
