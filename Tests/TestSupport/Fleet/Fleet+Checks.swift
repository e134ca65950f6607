package import OfflineTree
package import Testing

extension Fleet {
  /// The member shows what the model says of the set of changes that it has.
  package func expectModel(_ index: Int, _ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    let records = try Fleet.records(of: self[index])
    let history = try History(space: self[index].spaceID, records)
    let paths = ModelTree.priorityPaths(records)
    let model = Shown(try ModelTree(history), priorities: paths)
    let shown = try Shown(self[index], priorities: paths)
    #expect(
      shown == model, "seed \(seed), member \(index) \(comment)\nis \(shown)\nmust be \(model)",
      sourceLocation: sourceLocation)
    #expect(try self[index].clock() == history.clock, "seed \(seed) \(comment)", sourceLocation: sourceLocation)
  }

  /// Members with equal clocks show the same and have the same state hash.
  package func expectEqual(_ first: Int, _ second: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard try self[first].clock() == self[second].clock() else { return }
    let paths = ModelTree.priorityPaths(try Fleet.records(of: self[first]))
    let left = try Shown(self[first], priorities: paths)
    let right = try Shown(self[second], priorities: paths)
    #expect(
      left == right, "seed \(seed): \(first) shows \(left)\n\(second) shows \(right)", sourceLocation: sourceLocation)
    let (one, other) = (try self[first].stateHash(), try self[second].stateHash())
    #expect(one == other, "seed \(seed): state hashes of \(first) and \(second)", sourceLocation: sourceLocation)
  }

  /// All have the same changes, show the same, and what the model says.
  package func expectConverged(sourceLocation: SourceLocation = #_sourceLocation) throws {
    for index in members.indices.dropFirst() {
      #expect(
        try self[index].clock() == self[0].clock(), "seed \(seed): clocks of 0 and \(index)",
        sourceLocation: sourceLocation)
      try expectEqual(0, index, sourceLocation: sourceLocation)
      let problems = try self[index].verify().problems
      #expect(problems.isEmpty, "seed \(seed): \(index) holds \(problems)", sourceLocation: sourceLocation)
    }
    try expectModel(0, sourceLocation: sourceLocation)
  }
}

extension Database {
  package func stateHash() throws -> Bytes16 { try read { try $0.stateHash() } }
}

/// How many seeds the random tests run: the environment variable OFFLINETREE_SEEDS, in per cent of the usual number.
package enum Seeds {
  package static func scaled(_ usual: Int) -> Range<UInt64> {
    let percent = Oracle.environment("OFFLINETREE_SEEDS").flatMap(Int.init) ?? 100
    return 0..<UInt64(max(1, usual * percent / 100))
  }
}
