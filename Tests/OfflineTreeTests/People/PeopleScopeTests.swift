import OfflineTree
import TestSupport
import Testing

/// Every pair of acts about a person, and every three of the most dangerous, in every order.
@Suite struct PeopleScopeTests {
  /// All of them, and fewer where fewer histories are asked for.
  static func part(of acts: Range<Int>) -> Range<Int> { acts.prefix(Seeds.scaled(acts.count).count).indices }

  @Test(arguments: PeopleScopeTests.part(of: PeopleScope.acts.indices))
  func `every pair of acts comes to what the model says`(first: Int) throws {
    let scope = try PeopleScope()
    for second in PeopleScope.acts.indices {
      let pair = [PeopleScope.acts[first], PeopleScope.acts[second]]
      if second >= first { try expect(scope, pair, seen: [[], []]) }
      try expect(scope, pair, seen: [[], [0]])
    }
  }

  @Test(arguments: PeopleScopeTests.part(of: PeopleScope.dangerous.indices))
  func `every three of the dangerous acts come to what the model says`(first: Int) throws {
    let scope = try PeopleScope()
    let acts = PeopleScope.dangerous
    for second in acts.indices {
      for third in acts.indices where third > second {
        let three = [acts[first], acts[second], acts[third]]
        if second > first { try expect(scope, three, seen: [[], [], []]) }
        try expect(scope, three, seen: [[], [0], [0]])
      }
    }
  }

  private func expect(_ scope: PeopleScope, _ acts: [PeopleScope.Act], seen: [[Int]]) throws {
    let records = try scope.records(acts, seen: seen)
    let history = try History(space: scope.space.id, records)
    #expect(history.records.count == records.count)
    for order in Self.orders(history, of: acts.count) {
      var replica = try PeopleReplica(history, order: order)
      let found = replica.differences()
      #expect(found == [], "\(acts.map(\.name)), seen \(seen)")
    }
  }

  /// All orders of the acts; what else is there comes as early as it can, or as late.
  private static func orders(_ history: History, of count: Int) -> [[Int]] {
    let acts = history.records.indices.filter { index in
      history.records[index].seq == 1 && history.change(index).stamp.milliseconds >= 1_000
        && history.change(index).stamp.milliseconds < 5_000
    }
    let others = history.records.indices.filter { !acts.contains($0) }
    return permutations(acts).flatMap { acts in
      [causal(history, acts + others), causal(history, others + acts)]
    }
  }

  private static func permutations(_ items: [Int]) -> [[Int]] {
    if items.isEmpty { return [[]] }
    return items.flatMap { first in permutations(items.filter { $0 != first }).map { [first] + $0 } }
  }

  /// As wished, as far as what each had seen comes before it.
  private static func causal(_ history: History, _ wish: [Int]) -> [Int] {
    var (order, left) = ([Int](), wish)
    while let next = left.first(where: { index in !left.contains { history.saw(index, $0) } }) {
      order.append(next)
      left.removeAll { $0 == next }
    }
    return order
  }
}
