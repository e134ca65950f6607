import OfflineTree
import TestSupport
import Testing

/// Copies of a device that go on with one log: after a split every branch is a log of its own, and all content counts.
@Suite struct ForkTests {
  /// Devices of the model, some of which are copied or put back to an earlier state as they go.
  private func records(_ space: ModelSpace, _ random: inout SeededRandom) throws -> [Record] {
    var devices = space.logs.map { ModelDevice($0, knowing: space.introductions) }
    var earlier = devices
    var all = space.introductions
    for step in 0..<Int.random(in: 10...30, using: &random) {
      let index = Int.random(in: devices.indices, using: &random)
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<55:
        let operations = (0..<random.pick([1, 1, 2])).map { _ in
          random.operation(paths: ["n", "n", "n/x", "m", "open/j/votes", "open/j", "users/u/likes/j"])
        }
        all.append(try devices[index].append(operations, at: Int64(1_000 + step / 3)))
      case 55..<80: devices[index].learn(random.pick(devices).known)
      case 80..<90: earlier.append(devices[index])
      default:
        if devices.count < 5 { devices.append(random.pick(earlier)) } else { devices[index] = random.pick(earlier) }
      }
    }
    return all
  }

  private func space(_ seed: UInt64) throws -> ModelSpace {
    let sets = [Genesis.AddOnlySet(path: PathKey("open").path, keys: .open)]
    let flags = [Genesis.Flag(counter: "open/*/votes", template: "users/$voter/likes/*")]
    return try ModelSpace(devices: ["a", "b", "c"], addOnlySets: sets, flags: flags, seed: seed)
  }

  @Test(arguments: Seeds.scaled(60))
  func `forked logs merge as the model says, in every order and by every way`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let space = try space(seed)
    let all = try records(space, &random)
    let history = try History(space: space.id, all)
    let paths = ModelTree.priorityPaths(all)
    let model = Shown(try ModelTree(history), priorities: paths)
    let listeners = try (0..<3).map { try Listener(space, seed: $0) }
    for (number, listener) in listeners.enumerated() {
      // The first gets everything, one by one; the others a part each, and the rest from each other.
      let part = number == 0 ? all : all.filter { _ in random.chance(60) }
      var left = part.shuffled(using: &random)
      while !left.isEmpty {
        let count = number == 0 ? 1 : Int.random(in: 1...left.count, using: &random)
        try listener.receive(Array(left.prefix(count)))
        left.removeFirst(count)
      }
      try expectModelOfHeld(listener.database, "seed \(seed), part \(number)")
    }
    for _ in 0..<3 {
      for (from, to) in [(1, 2), (2, 1), (0, 1), (1, 2)] {
        try Fleet.send(from: listeners[from].database, to: listeners[to].database, .random(&random), &random)
      }
    }
    for (number, listener) in listeners.enumerated() {
      let database = listener.database
      #expect(try database.clock() == history.clock, "seed \(seed), listener \(number)")
      #expect(try Shown(database, priorities: paths) == model, "seed \(seed), listener \(number)")
      #expect(try database.stateHash() == listeners[0].database.stateHash(), "seed \(seed), listener \(number)")
      #expect(try database.verify().problems.isEmpty, "seed \(seed), listener \(number)")
    }
  }

  private func expectModelOfHeld(_ database: Database, _ comment: String) throws {
    let held = try Fleet.records(of: database)
    let history = try History(space: database.spaceID, held)
    let paths = ModelTree.priorityPaths(held)
    let shown = try Shown(database, priorities: paths)
    let model = Shown(try ModelTree(history), priorities: paths)
    #expect(shown == model, "\(comment): is \(shown)\nmust be \(model)")
  }

  @Test func `the random histories do fork`() throws {
    var forked = 0
    for seed in UInt64(0)..<40 {
      var random = SeededRandom(seed: seed)
      let space = try space(seed)
      let history = try History(space: space.id, try records(space, &random))
      if Set(history.names).count > 3 { forked += 1 }
    }
    #expect(forked > 20)
  }
}
