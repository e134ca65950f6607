import OfflineTree
import TestSupport
import Testing

/// Law 7: nothing leaves the device, and no caller or observer hears of it, before its commit is on disk.
@Suite struct DurabilityTests {
  private struct Stop: Error {}
  private let path = PathKey("n").path

  @Test(arguments: Seeds.scaled(20))
  func `a write that was answered is there after opening again`(seed: UInt64) throws {
    let fleet = try Fleet(2, seed: seed)
    for _ in 0..<15 {
      let index = fleet.pick()
      try fleet.writeRandomly(index)
      if fleet.random.chance(30) { try fleet.send(from: index, to: 1 - index, .random(&fleet.random)) }
      let paths = ModelTree.priorityPaths(try Fleet.records(of: fleet[index]))
      let before = (try Shown(fleet[index], priorities: paths), try fleet[index].stateHash(), try fleet[index].clock())
      try fleet.reopen(index)
      let after = (try Shown(fleet[index], priorities: paths), try fleet[index].stateHash(), try fleet[index].clock())
      #expect(before == after, "seed \(seed)")
    }
  }

  @Test func `a write that throws leaves nothing, not even a number or a stamp`() throws {
    let fleet = try Fleet(2, seed: 1)
    try fleet[0].write([.increment(path, .int(1))])
    let (clock, hash) = (try fleet[0].clock(), try fleet[0].stateHash())
    #expect(throws: Stop.self) {
      try fleet[0].write { transaction in
        try transaction.setValue(Value.int(7), at: path)
        throw Stop()
      }
    }
    #expect(try fleet[0].clock() == clock)
    #expect(try fleet[0].stateHash() == hash)
    try fleet[0].write([.increment(path, .int(1))])
    #expect(try fleet[0].read { try $0.scalar(at: path) } == .int(2))
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `what a closure writes is seen in it and nowhere else before it is committed`() throws {
    let fleet = try Fleet(1, seed: 1)
    let database = fleet[0]
    let (inside, outside) = try database.write { [path] transaction in
      try transaction.setValue(Value.int(7), at: path)
      return (try transaction.value(at: path), try database.read { try $0.value(at: path) })
    }
    #expect(inside == .int(7))
    #expect(outside.isNull)
    #expect(try database.read { try $0.value(at: path) } == .int(7))
  }

  @Test func `whoever is told of a commit can read it`() async throws {
    let fleet = try Fleet(1, seed: 1)
    let database = fleet[0]
    let seen = Monitor<[Scalar?]>([])
    let (told, continuation) = AsyncStream<Void>.makeStream()
    let observation = try database.onCommit { [path] in
      let value = try? database.read { try $0.scalar(at: path) }
      seen.withLock { $0.append(value ?? nil) }
      continuation.yield()
    }
    var iterator = told.makeAsyncIterator()
    for number in 1...5 {
      try await database.write { [path] in try $0.setValue(Value.int(Int64(number)), at: path) }
      // Earlier commits may be told late; that of this write is told at the latest once.
      while seen.withLock({ $0.last }) != .some(.int(Int64(number))) { await iterator.next() }
    }
    withExtendedLifetime(observation) {}
    #expect(seen.withLock { $0.allSatisfy { $0 == nil || $0?.isNumber == true } })
  }

  @Test func `an observer gets committed values only, and the last one in the end`() async throws {
    let fleet = try Fleet(1, seed: 1)
    let database = fleet[0]
    var iterator = database.values(at: path).makeAsyncIterator()
    #expect(try await iterator.next() == .some(Value.null))
    for number in 1...5 {
      try await database.write { [path] in try $0.setValue(Value.int(Int64(number)), at: path) }
      _ = try? await database.write { [path] transaction in
        try transaction.setValue(Value.string("never"), at: path)
        throw Stop()
      }
    }
    var last = Value.null
    while last != .int(5) {
      last = try #require(try await iterator.next())
      #expect(last != .string("never"))
    }
  }
}
