import TestSupport
import Testing

@testable import OfflineTree

/// Replicas that should be equal and are not.
@Suite struct StateComparisonTests {
  /// Two members of one space with the same changes: many paths, counters with parts of both, votes, priorities.
  private func twins(paths: Int) throws -> Fleet {
    let fleet = try Fleet(2, seed: 17)
    for start in stride(from: 0, to: paths, by: 1_000) {
      try fleet[0].write { transaction in
        for number in start..<min(start + 1_000, paths) {
          try transaction.setValue(NewValue(Scalar.int(Int64(number))), at: Path("values/\(number)"))
        }
      }
    }
    for index in 0..<2 {
      try fleet[index].write { transaction in
        for number in 0..<40 { try transaction.increment(Path("counters/\(number)"), by: .int(1)) }
        try transaction.setValue(
          NewValue(content: .scalar(.int(1)), priority: .int(3)), at: Path("priorities/\(index)"))
      }
    }
    try fleet.meetAll()
    try #require(try fleet[0].clock() == fleet[1].clock())
    return fleet
  }

  /// Changes one bit of what a replica holds, its state hash with it, as a fault in the code would.
  private func spoil(_ database: Database, _ path: String, _ change: @escaping @Sendable (inout Register) -> Void)
    throws
  {
    try database.submit { rows, state in
      let path = PathKey(path)
      let table = try PathTable.tree.get(path.bytes, in: rows) == nil ? PathTable.hidden : .tree
      let row = try #require(try table.get(path.bytes, in: rows))
      var register = try #require(try Register.decode(row))
      for item in state.items(of: register, try state.counterRows(register, rows), at: path) { state.hash.remove(item) }
      change(&register)
      for item in state.items(of: register, try state.counterRows(register, rows), at: path) { state.hash.add(item) }
      var writer = ByteWriter()
      register.encode(shown: register.scalar(try state.view(path, register, rows)), to: &writer)
      try table.put(path.bytes, writer.bytes, in: rows)
      state.metaChanged = true
      try state.flush(rows)
    }
  }

  private func compare(_ own: Database, with other: Database) throws -> (path: PathKey?, questions: Int) {
    var comparison = StateComparison()
    var step = comparison.begin()
    while case .ask(let question) = step { step = try comparison.step(try other.answer(question), own) }
    guard case .differs(let path) = step else { return (nil, comparison.asked) }
    return (path, comparison.asked)
  }

  @Test func `equal replicas differ nowhere, and one question tells`() throws {
    let fleet = try twins(paths: 500)
    let found = try compare(fleet[0], with: fleet[1])
    #expect(found.path == nil && found.questions == 1)
  }

  @Test(arguments: [100, 20_000])
  func `one bit that differs is found with its path, from both sides, within ten questions`(paths: Int) throws {
    let fleet = try twins(paths: paths)
    try spoil(fleet[1], "values/77") { register in
      let version = register.versions[0]
      register.versions[0] = Version(stamp: version.stamp, dot: version.dot, value: .int(76))
    }
    #expect(try fleet[0].clock() == fleet[1].clock())
    #expect(try fleet[0].read { try $0.stateHash() } != fleet[1].read { try $0.stateHash() })
    for (own, other) in [(0, 1), (1, 0)] {
      let found = try compare(fleet[own], with: fleet[other])
      #expect(found.path == PathKey("values/77"))
      #expect(found.questions <= 4)
    }
  }

  @Test func `a path that only one of them has is named by both`() throws {
    let fleet = try twins(paths: 2_000)
    try fleet[1].submit { rows, state in
      let path = PathKey("values/1234")
      let row = try #require(try PathTable.tree.get(path.bytes, in: rows))
      let register = try #require(try Register.decode(row))
      for item in state.items(of: register, Replica.CounterRows(), at: path) { state.hash.remove(item) }
      try PathTable.tree.delete(path.bytes, in: rows)
      try state.flush(rows)
    }
    for (own, other) in [(0, 1), (1, 0)] {
      #expect(try compare(fleet[own], with: fleet[other]).path == PathKey("values/1234"))
    }
  }

  @Test func `answers to something else are refused`() throws {
    let fleet = try twins(paths: 10)
    var comparison = StateComparison()
    _ = comparison.begin()
    #expect(throws: TreeError.self) { try comparison.step(.pieces([]), fleet[0]) }
    #expect(throws: TreeError.self) { try comparison.step(.buckets([1, 2]), fleet[0]) }
    var sums = try fleet[0].stateBuckets()
    sums[9] &+= 1
    #expect(try comparison.step(.buckets(sums), fleet[0]) == .ask(.pieces(StateRange(bucket: 9))))
    let unsorted = [2, 1].map { StatePiece(through: [UInt8($0)], paths: 1, sum: 0) }
    #expect(throws: TreeError.self) { try comparison.step(.pieces(unsorted), fleet[0]) }
  }
}
