import OfflineTree
import TestSupport
import Testing

@Suite(.serialized) struct SmallScopeTests {
  private static let ran = Monitor(0)

  /// The orders in which an observer gets the logs: every order of the three writers, and the beginning last of all.
  private static let orders = [
    [0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 1, 3], [0, 2, 3, 1], [0, 3, 1, 2], [0, 3, 2, 1], [3, 2, 1, 0],
  ]

  private static let chunk = 240

  @Test(arguments: SmallScope.Initial.allCases)
  func `every pair of operations on every relation of paths merges as the model says, in every order`(
    initial: SmallScope.Initial
  ) throws {
    // All of them, unless fewer seeds are asked for: then every so manieth.
    let all = SmallScope.cases(initial)
    let step = max(1, all.count / Seeds.scaled(all.count).count)
    let cases = stride(from: 0, to: all.count, by: step).map { all[$0] }
    for start in stride(from: 0, to: cases.count, by: SmallScopeTests.chunk) {
      let space = try SmallScopeSpace(Array(cases[start..<min(start + SmallScopeTests.chunk, cases.count)]))
      try check(space)
    }
    let ran = SmallScopeTests.ran.withLock {
      $0 += cases.count
      return $0
    }
    print(
      "small scope: \(cases.count) cases from \(initial), \(ran) so far, \(SmallScopeTests.orders.count) orders each")
  }

  private func check(_ space: SmallScopeSpace) throws {
    let history = try History(space: space.space.id, space.logs.flatMap(\.records))
    #expect(history.waiting.isEmpty)
    #expect(history.voids.allSatisfy { $0 == nil })
    let models = try space.changes.enumerated().map { index, records in
      let tree = try ModelTree(history, subset: records.compactMap { history.index(of: $0.hash) })
      return Shown(tree, at: SmallScopeSpace.prefix(index), priorities: ModelTree.priorityPaths(records))
    }
    var hash: Bytes16?
    for order in SmallScopeTests.orders {
      let listener = try space.listener(order: order)
      for (index, model) in models.enumerated() {
        let paths = ModelTree.priorityPaths(space.changes[index])
        let shown = try Shown(listener.database, at: SmallScopeSpace.prefix(index), priorities: paths)
        #expect(shown == model, "order \(order), \(space.cases[index])")
      }
      let stateHash = try listener.database.stateHash()
      #expect(stateHash == hash ?? stateHash, "order \(order)")
      hash = stateHash
    }
  }
}
