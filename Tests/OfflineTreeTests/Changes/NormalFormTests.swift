import OfflineTree
import TestSupport
import Testing

@Suite struct NormalFormTests {
  private func normalized(_ operations: [Operation]) -> [Operation] {
    var form = NormalForm()
    for operation in operations { form.append(operation) }
    return form.operations
  }

  @Test(arguments: 0..<40)
  func `it is the net effect that the merge model gives`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    for round in 0..<25 {
      let operations = (0..<Int.random(in: 0...12, using: &random)).map { _ in random.operation() }
      let result = normalized(operations)
      #expect(result == ModelNormalForm.of(operations), "seed \(seed), round \(round): \(operations)")
      #expect(NormalForm.holds(result), "seed \(seed), round \(round): \(operations)")
    }
  }

  @Test(
    arguments: [
      ([.put("a", 1), .put("a/b", 2)], [.clear("a"), .put("a/b", 2)]),
      ([.put("a", 1), .clear("a")], [.clear("a")]),
      ([.put("a/b", 1), .clear("a/b")], [.clear("a/b")]),
      ([.increment("a", by: 1), .put("a/b", 2)], [.put("a/b", 2)]),
      ([.increment("a", by: 1), .put("a", 2)], [.put("a", 2)]),
      ([.put("a", 2), .increment("a", by: 1)], [.put("a", 2), .increment("a", by: 1)]),
      ([.increment("a", by: 1), .increment("a", by: -1)], [.increment("a", by: 0)]),
      ([.clear("a/b"), .clear("a"), .clear("a/c")], [.clear("a")]),
      ([.clear("a/b"), .put("a", 1)], [.put("a", 1)]),
      ([.clear("b"), .put("a", 1)], [.clear("b"), .put("a", 1)]),
      ([.vote("a", voter: "u", choice: 1), .vote("a", voter: "u", choice: 0)], [.vote("a", voter: "u", choice: 0)]),
      ([.put("a", 1), .vote("a/b", voter: "u", choice: 0)], [.put("a", 1), .vote("a/b", voter: "u", choice: 0)]),
      (
        [.put("a", 1), .vote("a/b", voter: "u", choice: -1)],
        [.clear("a"), .vote("a/b", voter: "u", choice: -1)]
      ),
      ([.priority("a", .int(1)), .put("a", 1)], [.put("a", 1)]),
      ([.put("a", 1), .priority("a", nil)], [.put("a", 1), .priority("a", nil)]),
      ([.priority("a", .int(1)), .put("a/b", 2)], [.put("a/b", 2), .priority("a", .int(1))]),
      (
        [.increment("a", by: .double(1e16)), .increment("a", by: 1), .increment("a", by: .double(-1e16))],
        [.increment("a", by: .double(1))]
      ),
    ] as [([Operation], [Operation])])
  func `operations of one change take effect one after another`(operations: [Operation], net: [Operation]) {
    #expect(normalized(operations) == net)
  }

  @Test func `a list holds exactly if some sequence of operations could have given it`() {
    let paths = ["a", "a/b"]
    let alphabet: [Operation] = paths.flatMap { path -> [Operation] in
      [
        .clear(path), .put(path, 1), .increment(path, by: 1), .vote(path, voter: "u", choice: 1),
        .vote(path, voter: "v", choice: 0), .priority(path, nil),
      ]
    }
    var cases = 0
    for first in alphabet {
      for second in alphabet {
        for third in alphabet {
          let list = [first, second, third]
          let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
          let isReachable = orders.contains { normalized($0.map { list[$0] }) == list }
          #expect(NormalForm.holds(list) == isReachable, "\(list)")
          cases += 1
        }
      }
    }
    #expect(cases == 1_728)
  }

  @Test func `many operations are in order`() {
    var form = NormalForm()
    for index in (0..<300).reversed() { form.append(.put("k/\(index)", .int(Int64(index)))) }
    let numbers = form.operations.map { operation -> Int64 in
      if case .put(_, .int(let value)) = operation { value } else { -1 }
    }
    #expect(numbers == Array(0..<300))
  }

  @Test(arguments: ["a", "a/b", "a/b/c", "", "x/y"])
  func `it knows what it may have touched`(path: String) {
    var form = NormalForm()
    #expect(!form.touches(PathKey(path)))
    form.append(.put("a/b", 1))
    form.append(.clear("x"))
    #expect(form.touches(PathKey(path)))
    #expect(!form.touches(PathKey("z")))
  }
}
