import OfflineTree
import TestSupport
import Testing

/// Law 1 where people sign up, log in and out, and rules judge them.
@Suite struct PeopleConvergenceTests {
  @Test(arguments: Seeds.scaled(80))
  func `histories of people, forks and liars come to what the model says, in every order`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let made = try PeopleHistory(seed: seed, count: 22 + Int(seed % 25))
    let listeners = try (0..<3).map { try Listener(made.space, seed: $0) }
    for (number, listener) in listeners.enumerated() {
      // The first gets everything, one by one; the others a part each, and the rest from each other.
      let part = number == 0 ? made.records : made.records.filter { _ in random.chance(70) }
      var left = part.shuffled(using: &random)
      while !left.isEmpty {
        let count = number == 0 ? 1 : Int.random(in: 1...left.count, using: &random)
        try listener.receive(Array(left.prefix(count)))
        left.removeFirst(count)
        if random.chance(15) { try listener.expectPeople("seed \(seed), listener \(number)") }
        if random.chance(5) { _ = try listener.reopened() }
      }
      try listener.expectPeople("seed \(seed), listener \(number)")
    }
    for (from, to) in [(1, 2), (2, 1), (0, 1), (1, 2), (2, 0)] {
      try Fleet.send(from: listeners[from].database, to: listeners[to].database, .random(&random), &random)
    }
    _ = try listeners[1].reopened()
    for listener in listeners {
      try listener.expectPeople("seed \(seed), at the end")
      #expect(try listener.database.clock() == listeners[0].database.clock(), "seed \(seed)")
      #expect(try listener.database.stateHash() == listeners[0].database.stateHash(), "seed \(seed)")
      #expect(try listener.database.verify().problems.isEmpty, "seed \(seed)")
    }
    #expect(try Fleet.records(of: listeners[0].database).count == made.records.count, "seed \(seed)")
  }

  @Test func `the random histories hold what they are meant to`() throws {
    var (forked, contested, gaveBack, removed) = (0, 0, 0, 0)
    var reasons: [String: Int] = [:]
    for seed in UInt64(0)..<80 {
      let made = try PeopleHistory(seed: seed, count: 40)
      let history = try History(space: made.space.id, made.records)
      for reason in history.voids.compactMap({ $0 }) { reasons[reason, default: 0] += 1 }
      guard let people = history.people else { continue }
      if Set(history.names).count > Set(history.records.map(\.log)).count { forked += 1 }
      if people.states.values.contains(where: { $0.count > 1 }) { contested += 1 }
      if people.ends.contains(where: { history.voids[$0.change] != nil }) { gaveBack += 1 }
      let tree = try ModelTree(history)
      removed += tree.elements.count { people.removal(of: $0.element, madeBy: $0.change) != nil }
    }
    #expect(forked > 10)
    #expect(contested > 2)
    #expect(gaveBack > 0)
    #expect(removed > 0)
    for reason in [
      "noAuthor", "noState", "noVersion", "notSigned", "endedKey", "noSession", "denied", "rules", "ended",
    ] {
      #expect(reasons[reason, default: 0] > 0, "\(reason): \(reasons)")
    }
  }
}

extension Listener {
  /// What the model says of the changes that it has: the tree, what is void, accounts, log-ins, elements that are hidden.
  func expectPeople(_ comment: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expectModel(comment, sourceLocation: sourceLocation)
    let history = try History(space: database.spaceID, try Fleet.records(of: database))
    guard let people = history.people else { return }
    let accounts = Dictionary(grouping: try database.accounts().map(\.account), by: \.user).mapValues { Set($0) }
    #expect(accounts == people.states, "\(comment)", sourceLocation: sourceLocation)
    for (element, change) in try ModelTree(history).elements {
      let removal: String? =
        switch try database.read({ try $0.removal(of: element.path) }) {
        case .moderated: "moderated"
        case .retracted: "retracted"
        case nil: nil
        }
      #expect(removal == people.removal(of: element, madeBy: change), "\(comment)", sourceLocation: sourceLocation)
    }
  }
}
