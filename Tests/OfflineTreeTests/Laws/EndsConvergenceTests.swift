import OfflineTree
import TestSupport
import Testing

/// Law 1 where authority is given, taken and lied about.
@Suite struct EndsConvergenceTests {
  @Test(arguments: Seeds.scaled(60))
  func `histories with ends, roles, invites and forks merge as the model says, in every order`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let made = try EndsHistory(seed: seed, count: 25 + Int(seed % 20))
    let listeners = try (0..<3).map { try Listener(made.space, seed: $0) }
    for (number, listener) in listeners.enumerated() {
      // The first gets everything, one by one; the others a part each, and the rest from each other.
      let part = number == 0 ? made.records : made.records.filter { _ in random.chance(70) }
      var left = part.shuffled(using: &random)
      while !left.isEmpty {
        let count = number == 0 ? 1 : Int.random(in: 1...left.count, using: &random)
        try listener.receive(Array(left.prefix(count)))
        left.removeFirst(count)
        if random.chance(20) { try listener.expectModel("seed \(seed), listener \(number)") }
      }
      try listener.expectModel("seed \(seed), listener \(number)")
    }
    for (from, to) in [(1, 2), (2, 1), (0, 1), (1, 2), (2, 0)] {
      try Fleet.send(from: listeners[from].database, to: listeners[to].database, .random(&random), &random)
    }
    for listener in listeners {
      try listener.expectModel("seed \(seed), at the end")
      #expect(try listener.database.clock() == listeners[0].database.clock(), "seed \(seed)")
      #expect(try listener.database.stateHash() == listeners[0].database.stateHash(), "seed \(seed)")
      #expect(try listener.database.verify().problems.isEmpty, "seed \(seed)")
    }
    #expect(try Fleet.records(of: listeners[0].database).count == made.records.count, "seed \(seed)")
  }

  @Test func `the random histories hold what they are meant to`() throws {
    var (forked, ended, gaveBack) = (0, 0, 0)
    var reasons: Set<String> = []
    for seed in UInt64(0)..<40 {
      let made = try EndsHistory(seed: seed, count: 40)
      let history = try History(space: made.space.id, made.records)
      reasons.formUnion(history.voids.compactMap { $0 })
      let ends = history.authority?.ends ?? []
      if Set(history.names).count > Set(history.records.map(\.log)).count { forked += 1 }
      if !ends.isEmpty { ended += 1 }
      if ends.contains(where: { history.voids[$0.change] == nil && $0.rank == .owner }) { gaveBack += 1 }
    }
    #expect(forked > 10)
    #expect(ended > 20)
    #expect(gaveBack > 5)
    #expect(reasons.isSuperset(of: ["noMember", "ended", "denied", "readOnly", "unregistered"]))
  }
}

extension Listener {
  /// It shows, and holds for void, what the model says of the changes that it has.
  func expectModel(_ comment: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let held = try Fleet.records(of: database)
    let history = try History(space: database.spaceID, held)
    let paths = ModelTree.priorityPaths(held)
    let (shown, model) = (try Shown(database, priorities: paths), Shown(try ModelTree(history), priorities: paths))
    #expect(shown == model, "\(comment): is \(shown)\nmust be \(model)", sourceLocation: sourceLocation)
    let void = Set(try database.read { try $0.status(limit: 10_000) }.voids.map { "\($0.log) \($0.seq)" })
    let wanted = Set(
      history.records.indices.filter { history.voids[$0] != nil }
        .map { "\(history.records[$0].log) \(history.records[$0].seq)" })
    #expect(void == wanted, "\(comment)", sourceLocation: sourceLocation)
  }
}
