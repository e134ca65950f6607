#if DEBUG
  import TestSupport
  import Testing

  @testable import OfflineTree

  /// What keeping the state hash costs, in items that are hashed: docs/benchmarks.md has the same numbers.
  @Suite struct StateHashUpkeepTests {
    private let fleet: Fleet
    private let user = Key.of("ann")
    private let joke = NewValue(["author": "ann", "text": "a joke", "votes": 0])

    init() throws { fleet = try Fleet(2, seed: 3) }

    private func count(_ index: Int = 0) throws -> Int { try fleet[index].submit { _, state in state.hash.hashes } }

    /// What a write costs where it is made.
    private func cost(_ body: @escaping @Sendable (WriteTransaction) throws -> Void) throws -> Int {
      let before = try count()
      try fleet[0].write { try body($0) }
      return try count() - before
    }

    @Test func `a vote hashes one item, and one that replaces another two`() throws {
      let key = try fleet[0].write { [joke] in try $0.push(joke, to: Path("own")) }
      let (votes, user) = (try Path("own/\(key)/votes"), user)
      for (choice, hashes) in [(1, 1), (0, 2), (1, 2), (-1, 2), (-1, 2)] {
        #expect(try cost { try $0.vote(votes, voter: user, choice: choice) } == hashes)
      }
      #expect(try cost { try $0.vote(votes, voter: Key("ben"), choice: 1) } == 1)
    }

    @Test func `an increment hashes one item, and a further one two, however often a write counts up`() throws {
      let path = try Path("n")
      #expect(try cost { try $0.increment(path, by: .int(1)) } == 1)
      #expect(try cost { try $0.increment(path, by: .int(1)) } == 2)
      #expect(try cost { for _ in 0..<1_000 { try $0.increment(path, by: .int(1)) } } == 2)
    }

    @Test func `a put hashes what it puts and what it takes away`() throws {
      let (path, joke) = (try Path("x"), joke)
      #expect(try cost { try $0.setValue(1, at: path) } == 1)
      #expect(try cost { try $0.setValue(2, at: path) } == 2)
      #expect(try cost { try $0.setValue(joke, at: path) } == 4)
      #expect(try cost { try $0.removeValue(at: path) } == 3)
      #expect(try cost { try $0.setPriority(.int(1), at: path) } == 0)
      #expect(try cost { _ = try $0.push(joke, to: Path("own")) } == 3)
    }

    @Test func `it costs others what it cost here, and nothing twice`() throws {
      let before = try (count(0), count(1))
      let key = try fleet[0].write { [joke] in try $0.push(joke, to: Path("own")) }
      let (votes, user) = (try Path("own/\(key)/votes"), user)
      for choice in [1, 0, 1] { try fleet[0].write { try $0.vote(votes, voter: user, choice: choice) } }
      try fleet.send(from: 0, to: 1)
      try fleet.send(from: 0, to: 1)
      #expect(try count(0) - before.0 == 8)
      #expect(try count(1) - before.1 == 8)
    }
  }
#endif
