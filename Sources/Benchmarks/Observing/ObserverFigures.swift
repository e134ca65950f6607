internal import Dispatch
internal import OfflineTree

/// How soon observers hear of votes, and what that costs. No rival: the figures are times after a commit, and memory.
struct ObserverFigures {
  static let usage = "usage: Benchmarks observe [JOKES [SECONDS [VOTES_PER_SECOND]]]"

  private let jokes: Int
  private let seconds: Int
  private let rate: Int
  private let folder: TemporaryFolder
  private static let clock = ContinuousClock()

  init(_ arguments: [String]) throws {
    let numbers = arguments.compactMap { Int($0) }
    guard numbers.count == arguments.count, numbers.count <= 3, numbers.allSatisfy({ $0 > 0 }) else {
      throw Settings.Usage()
    }
    jokes = numbers.first ?? 1_000_000
    seconds = numbers.count > 1 ? numbers[1] : 20
    rate = numbers.count > 2 ? numbers[2] : 10_000
    folder = try TemporaryFolder()
  }

  func run() async throws {
    let database = try Database.create(
      at: "\(folder.path)/home", space: "jokes", recovery: RecoveryCode(environment: .system), deviceName: "benchmark",
      options: Database.Options(durability: .relaxed))
    defer { database.close() }
    database.callbackQueue = DispatchQueue(label: "Benchmarks.observers")
    try await fill(database)
    try await top(database)
    try await storm(database)
  }

  private static func path(_ joke: Int) throws -> Path { try Path("jokes/j\(joke)/votes") }

  private func fill(_ database: Database) async throws {
    let took = try await Self.clock.measure {
      for start in stride(from: 0, to: jokes, by: 10_000) {
        try await database.write { [jokes] transaction in
          for joke in start..<min(start + 10_000, jokes) {
            try transaction.setValue(.int(Int64(joke * 7_919 % 1_000)), at: try Self.path(joke))
          }
        }
      }
    }
    try database.addIndex(at: "jokes", by: "votes")
    let building = try await Self.clock.measure {
      while try !database.indexes().allSatisfy(\.isReady) { try await Task.sleep(for: .milliseconds(20)) }
    }
    print("\(jokes) jokes written in \(took), indexed in \(building)")
  }

  /// The last twenty by votes, live, under a steady rate of votes: each change of theirs from the commit to the call.
  private func top(_ database: Database) async throws {
    let query = database.reference(withPath: "jokes").queryOrdered(byChild: "votes").queryLimited(toLast: 20)
    let reading = try await Self.clock.measure { _ = try await query.getData().childrenCount }
    let commits = Monitor<(first: ContinuousClock.Instant?, delays: [Duration])>((nil, []))
    // The oldest commit of which nobody has been told.
    let following = try database.onCommit { commits.withLock { $0.first = $0.first ?? Self.clock.now } }
    let handle = query.observe(.value) { _ in
      commits.withLock { commits in
        if let first = commits.first { commits.delays.append(Self.clock.now - first) }
        commits.first = nil
      }
    }
    await database.settleObservers()
    commits.withLock { $0 = (nil, []) }
    let before = MemoryUse.now
    let best = try query.snapshot().children.compactMap { Int($0.key.dropFirst()) }
    let votes = try await vote(database, best)
    await database.settleObservers()
    let delays = commits.withLock { $0.delays.sorted() }
    let (after, runs) = (MemoryUse.now, database.observedQueryRuns)
    query.removeObserver(withHandle: handle)
    following.cancel()
    print(
      "the last 20 of \(jokes): read once in \(reading), then \(votes) votes in \(seconds) s: told \(delays.count) times, "
        + "\(share(delays, 50)) in the middle, \(share(delays, 99)) at 99 %, \(delays.last ?? .zero) at most; memory "
        + "\(before) -> \(after) KiB; the query ran \(runs) times")
  }

  private func share(_ delays: [Duration], _ percent: Int) -> Duration {
    delays.isEmpty ? .zero : delays[min(delays.count - 1, delays.count * percent / 100)]
  }

  /// Votes at the rate, a fifth of them for the best jokes, so that the answer changes all the time.
  private func vote(_ database: Database, _ best: [Int]) async throws -> Int {
    var generator = SeededGenerator(seed: 1)
    let start = Self.clock.now
    var votes = 0
    let step = max(1, rate / 100)
    while Self.clock.now - start < .seconds(seconds) {
      let voted = (0..<step).map { place in
        place.isMultiple(of: 5)
          ? best.randomElement(using: &generator) ?? 0 : Int.random(in: 0..<jokes, using: &generator)
      }
      // Each vote is a change of its own; those of a hundredth of a second are queued together.
      for joke in voted { vote(joke, database) }
      try await database.write { _ in }
      votes += step
      let due = start + .milliseconds(votes * 1_000 / rate)
      if due > Self.clock.now { try await Task.sleep(until: due, clock: Self.clock) }
    }
    return votes
  }

  /// Returns at once.
  private func vote(_ joke: Int, _ database: Database) {
    database.reference(withPath: "jokes/j\(joke)/votes").setValue(ServerValue.increment(1))
  }

  /// Ten thousand observers on different jokes, a thousand votes.
  private func storm(_ database: Database) async throws {
    let observers = min(10_000, jokes)
    let told = Monitor(0)
    let joining = await Self.clock.measure {
      for joke in 0..<observers {
        database.reference(withPath: "jokes/j\(joke)").observe(.value) { _ in told.withLock { $0 += 1 } }
      }
      await database.settleObservers()
    }
    told.withLock { $0 = 0 }
    let wakes = database.observerWakes
    let votes = min(1_000, observers)
    let took = try await Self.clock.measure {
      for joke in 0..<votes { vote(joke, database) }
      try await database.write { _ in }
      await database.settleObservers()
    }
    print(
      "\(observers) observers came in \(joining); \(votes) votes in \(took) woke \(database.observerWakes - wakes) of them, "
        + "and told \(told.withLock { $0 }) values")
  }
}
