import OfflineTree
import TestSupport
import Testing

/// Raw changes of a member that lies: what DESIGN says comes of them, in every order of arrival.
@Suite struct LiarTests {
  @Test(arguments: Lie.all)
  func `a lie comes to what the design says, in every order`(lie: Lie) throws {
    var space = try LiarSpace()
    try lie.tell(&space)
    let history = try History(space: space.space.id, [space.genesis] + space.records)
    let paths = ModelTree.priorityPaths(space.records)
    let model = Shown(try ModelTree(history), priorities: paths)
    try expectDesign(lie, space, model, history)
    var hash: Bytes16?
    for (number, order) in LiarTests.orders(of: space.records).enumerated() {
      let listener = try Listener(space.space, seed: UInt64(number))
      var (voids, applied) = (0, 1)
      for record in order {
        let reception = try listener.receive([record])
        #expect(reception.refused.isEmpty)
        voids += reception.voids.count
        applied += reception.applied
      }
      let shown = try Shown(listener.database, priorities: paths)
      #expect(shown == model, "order \(number): is \(shown)\nmust be \(model)")
      #expect(voids == lie.voids, "order \(number)")
      #expect(applied == history.records.count, "order \(number)")
      #expect(try listener.database.clock() == history.clock, "order \(number)")
      #expect(try listener.receive(order).applied == 0, "order \(number)")
      let stateHash = try listener.database.stateHash()
      #expect(stateHash == hash ?? stateHash, "order \(number)")
      hash = stateHash
    }
  }

  /// The model is right about what the design says in so many words.
  private func expectDesign(_ lie: Lie, _ space: LiarSpace, _ model: Shown, _ history: History) throws {
    if let tree = lie.tree {
      let expected = try JSON(parsing: tree.replacing("JOKE", with: space.key))
      #expect(model.tree == expected)
      let conflicts = model.conflicts.map { $0.replacing(space.key, with: "JOKE").split(separator: " by ")[0] }
      #expect(conflicts.map(String.init) == lie.conflicts)
    }
    #expect(history.voids.count { $0 != nil } == lie.voids)
  }

  /// All orders of few records; of more than four, as they were written, backwards, and some others.
  private static func orders(of records: [Record]) -> [[Record]] {
    var orders = [records, records.reversed()]
    var random = SeededRandom(seed: UInt64(records.count))
    for _ in 0..<10 { orders.append(records.shuffled(using: &random)) }
    return orders
  }
}
