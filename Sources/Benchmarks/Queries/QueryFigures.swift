internal import OfflineTree

/// What an ordered query costs with an index, in a small home and in a large one, and what the index costs each vote.
struct QueryFigures {
  static let usage = "usage: Benchmarks queries [JOKES]"

  private let jokes: Int
  private let folder: TemporaryFolder
  private static let fewJokes = 10_000
  private static let rounds = 2_000

  init(_ arguments: [String]) throws {
    guard arguments.count < 2 else { throw Settings.Usage() }
    guard let number = arguments.first.map({ Int($0) }) ?? 1_000_000, number >= Self.fewJokes else {
      throw Settings.Usage()
    }
    jokes = number
    folder = try TemporaryFolder()
  }

  func run() throws {
    let homes = [try JokesHome(Self.fewJokes, in: folder), try JokesHome(jokes, in: folder)]
    for home in homes {
      let query = home.top(20)
      let time = try ContinuousClock().measure { _ = try home.read(query) }
      print("\(home.count) jokes, without an index: \(time) a query")
      let building = try ContinuousClock().measure { try home.addIndex() }
      print("\(home.count) jokes: the index was built in \(building)")
    }
    try compareQueries(homes)
    for home in homes { home.database.close() }
    try compareVotes()
  }

  /// Both in turn, so that both have the same machine.
  private func compareQueries(_ homes: [JokesHome]) throws {
    for limit in [1, 20, 200] as [UInt] {
      var times: [[Double]] = homes.map { _ in [] }
      for round in 0..<Self.rounds + 100 {
        for (index, home) in homes.enumerated() {
          let query = home.top(limit)
          let time = try ContinuousClock().measure { _ = try home.read(query) }
          if round >= 100 { times[index].append(time.seconds * 1e6) }
        }
      }
      let spreads = times.map { Spread($0) }
      for (home, spread) in zip(homes, spreads) {
        print(
          "the \(limit) best of \(home.count) jokes, read: median \(Self.tenths(spread.median)) µs, "
            + "least \(Self.tenths(spread.least)) µs")
      }
      print("of \(limit): \(homes[1].count) jokes take \(Self.tenths(spreads[1].median / spreads[0].median)) × as long")
    }
  }

  /// Votes in writes of a thousand, in two homes of the same jokes, in turn: one keeps an index by votes.
  private func compareVotes() throws {
    let homes = [try JokesHome(100_000, in: folder), try JokesHome(100_000, in: folder)]
    try homes[1].addIndex()
    for (unit, isSingle) in [("in writes of 1,000", false), ("each in a write of its own", true)] {
      var times: [[Double]] = [[], []]
      for round in 0..<24 {
        for index in 0..<2 {
          let count = isSingle ? 200 : 1_000
          let time = try homes[index].vote(count, seed: UInt64(round), isSingle: isSingle)
          if round >= 4 { times[index].append(time.seconds / Double(count) * 1e6) }
        }
      }
      let (plain, indexed) = (Spread(times[0]).median, Spread(times[1]).median)
      print(
        "a vote, \(unit): \(Self.tenths(plain)) µs without an index, \(Self.tenths(indexed)) µs with one, "
          + "\(Self.tenths(indexed - plain)) µs for it")
    }
    for home in homes { home.database.close() }
  }

  private static func tenths(_ number: Double) -> String { "\((number * 10).rounded() / 10)" }
}

/// A home of jokes with votes.
final class JokesHome {
  let count: Int
  let database: Database
  private let workload: Jokes
  private var keys: [Key] = []

  init(_ count: Int, in folder: TemporaryFolder) throws {
    self.count = count
    workload = try Jokes()
    var generator = SeededGenerator(seed: 1)
    database = try Database.create(
      at: "\(folder.path)/\(generator.next())-\(UInt64.random(in: 0...UInt64.max))", space: "jokes",
      addOnlySets: workload.addOnlySets, flags: workload.flags, recovery: RecoveryCode(), deviceName: "jokes",
      options: Database.Options(durability: .unsafeNoSync))
    while keys.count < count {
      let votes = (0..<min(5_000, count - keys.count)).map { _ in Int64.random(in: 0..<100_000, using: &generator) }
      let jokes = votes.map { workload.joke(&generator, votes: $0) }
      let path = workload.jokes
      keys += try database.write { transaction in try jokes.map { try transaction.push($0, to: path) } }
    }
  }

  /// Returns when the index is ready.
  func addIndex() throws {
    let ready = Monitor(false)
    let observation = try database.onCommit { [database] in
      let isReady = (try? database.indexes().allSatisfy(\.isReady)) ?? false
      if isReady { ready.change { $0 = true } }
    }
    try database.addIndex(at: "jokes", by: "votes")
    ready.wait { $0 ? () : nil }
    observation.cancel()
  }

  func top(_ limit: UInt) -> DatabaseQuery {
    database.reference(withPath: "jokes").queryOrdered(byChild: "votes").queryLimited(toLast: limit)
  }

  /// The query's answer, its values read.
  func read(_ query: DatabaseQuery) throws -> Int {
    try query.snapshot().children.reduce(0) { $0 + (try $1.childSnapshot(forPath: "votes").value as? Int ?? 0) }
  }

  /// - Returns: How long the votes took.
  func vote(_ count: Int, seed: UInt64, isSingle: Bool) throws -> Duration {
    var generator = SeededGenerator(seed: seed)
    let votes = try (0..<count).map { _ in
      (
        try workload.counter(of: keys[Int.random(in: 0..<keys.count, using: &generator)]),
        workload.user(&generator)
      )
    }
    return try ContinuousClock().measure {
      if isSingle {
        for (counter, user) in votes { try database.write { try $0.vote(counter, voter: user, choice: 1) } }
      } else {
        try database.write { transaction in
          for (counter, user) in votes { try transaction.vote(counter, voter: user, choice: 1) }
        }
      }
    }
  }
}
