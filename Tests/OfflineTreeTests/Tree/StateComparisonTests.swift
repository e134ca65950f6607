import TestSupport
import Testing

@testable import OfflineTree

/// Two replicas with equal clocks and unequal states are told apart, and where.
@Suite struct StateComparisonTests {
  private func twins(_ seed: UInt64, _ count: Int) throws -> Fleet {
    let fleet = try Fleet(2, seed: seed)
    try fleet.meetAll()
    try fleet[0].write { transaction in
      for index in 0..<count {
        try transaction.setValue(NewValue(Scalar.int(Int64(index))), at: PathKey("many/k\(index)").path)
      }
      try transaction.increment(PathKey("sum").path, by: .int(3))
    }
    try fleet.meetAll()
    return fleet
  }

  private func compare(_ one: Database, _ other: Database) throws -> StateComparison {
    var comparison = StateComparison()
    while let question = comparison.question { try comparison.take(try other.answer(question), in: one) }
    return comparison
  }

  /// Changes a value behind everybody's back, and the sums with it, as a mistake in merging would.
  private func plant(_ path: PathKey, in database: Database, isSummed: Bool = true) throws {
    try database.submit { rows, state in
      let row = try #require(try PathTable.tree.get(path.bytes, in: rows))
      var register = try #require(try Register.decode(row))
      let old = try state.live(at: path, register, rows).items
      guard case .int(let number) = register.versions[0].value else { throw TreeError(.internal, "no integer") }
      let version = register.versions[0]
      register.versions[0] = Version(stamp: version.stamp, dot: version.dot, value: .int(number ^ 1))
      for item in old where isSummed { state.hash.remove(item) }
      for item in try state.live(at: path, register, rows).items where isSummed { state.hash.add(item) }
      var writer = ByteWriter()
      register.encode(shown: register.versions[0].value, to: &writer)
      try PathTable.tree.put(path.bytes, writer.bytes, in: rows)
      state.metaChanged = true
      try state.flush(rows)
    }
  }

  @Test func `equal states are known by one exchange`() throws {
    let fleet = try twins(1, 300)
    let comparison = try compare(fleet[0], fleet[1])
    #expect(comparison.exchanges == 1 && comparison.paths.isEmpty && !comparison.hasWrongSums)
  }

  @Test(arguments: [0, 1, 7_777, 49_999])
  func `one bit that differs is found by one exchange, and its path by less than ten`(_ index: Int) throws {
    let fleet = try twins(2, 50_000)
    let path = PathKey("many/k\(index)")
    try plant(path, in: fleet[1])
    #expect(try fleet[0].clock() == fleet[1].clock())
    #expect(try fleet[0].stateHash() != fleet[1].stateHash())
    for (one, other) in [(0, 1), (1, 0)] {
      let comparison = try compare(fleet[one], fleet[other])
      #expect(comparison.paths == [path])
      #expect(comparison.exchanges < 10, "\(comparison.exchanges)")
    }
  }

  @Test func `several differences, and what one side lacks, are all named`() throws {
    let fleet = try twins(3, 2_000)
    let paths = [3, 500, 1_999].map { PathKey("many/k\($0)") }
    for path in paths { try plant(path, in: fleet[1]) }
    try fleet[1].submit { rows, state in
      let gone = PathKey("many/k1000")
      let row = try #require(try PathTable.tree.get(gone.bytes, in: rows))
      let register = try #require(try Register.decode(row))
      for item in try state.live(at: gone, register, rows).items { state.hash.remove(item) }
      _ = try PathTable.tree.delete(gone.bytes, in: rows)
      state.metaChanged = true
      try state.flush(rows)
    }
    for (one, other) in [(0, 1), (1, 0)] {
      let comparison = try compare(fleet[one], fleet[other])
      #expect(Set(comparison.paths) == Set(paths + [PathKey("many/k1000")]))
    }
  }

  @Test func `sums that do not fit their rows are told from rows that differ, and unequal clocks from both`() throws {
    let fleet = try twins(4, 100)
    try fleet[1].submit { rows, state in
      try rows.put(.hash, [9], [UInt8](repeating: 1, count: 16))
      state.metaChanged = true
    }
    let comparison = try compare(fleet[0], fleet[1])
    #expect(comparison.hasWrongSums && comparison.paths.isEmpty)
    try fleet[0].write { try $0.increment(PathKey("sum").path, by: .int(1)) }
    #expect { try compare(fleet[0], fleet[1]) } throws: { ($0 as? TreeError)?.code == .unavailable }
  }
}
