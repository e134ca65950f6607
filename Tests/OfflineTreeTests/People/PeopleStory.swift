import OfflineTree
import TestSupport
import Testing

/// Two members, ann and ben, with a device each, a founder, and what they write by hand.
struct PeopleStory {
  let space: ModelSpace
  var founder: RawLog
  var first: RawLog
  var second: RawLog
  let ann: TestPerson
  let ben: TestPerson
  /// Changes of branches.
  var loose: [Record] = []
  private(set) var stamp: UInt64 = 1_000

  init(addOnlySets: [Genesis.AddOnlySet] = [], flags: [Genesis.Flag] = [], rules: [UInt8] = []) throws {
    let made = try ModelSpace(
      devices: ["founder", "first", "second"], addOnlySets: addOnlySets, flags: flags, rules: rules,
      foundedByFirst: true, seed: 7)
    let others = made.logs.indices.filter { $0 != made.founder }
    space = made
    founder = made.logs[made.founder]
    first = made.logs[others[0]]
    second = made.logs[others[1]]
    ann = TestPerson("ann", space: made.id)
    ben = TestPerson("ben", space: made.id)
  }

  /// A stamp above all before.
  mutating func next() -> Stamp {
    stamp += 10
    return .at(stamp)
  }

  var records: [Record] {
    var seen: Set<Bytes32> = [space.beginning.hash]
    return (founder.records + first.records + second.records + loose).filter { seen.insert($0.hash).inserted }
  }

  /// What the records come to, in whatever order they arrive: the tree, and why what is void is void.
  func outcome(
    orders count: Int = 14, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> (tree: String, voids: [String]) {
    var random = SeededRandom(seed: UInt64(records.count))
    var orders = [records, records.reversed()]
    for _ in 2..<count { orders.append(records.shuffled(using: &random)) }
    var result: (tree: String, voids: [String])?
    var hash: Bytes16?
    for (number, order) in orders.enumerated() {
      let listener = try Listener(space, seed: UInt64(number))
      for record in order {
        let reception = try listener.receive([record])
        #expect(reception.refused.isEmpty, "order \(number)", sourceLocation: sourceLocation)
      }
      let (tree, status) = try listener.database.read { (try $0.value(at: .root).json(), try $0.status()) }
      #expect(status.waitingCount == 0, "order \(number)", sourceLocation: sourceLocation)
      let found = (tree: tree, voids: status.voids.map(\.reason).sorted())
      let expected = result ?? found
      #expect(found == expected, "order \(number)", sourceLocation: sourceLocation)
      let stateHash = try listener.database.stateHash()
      #expect(stateHash == hash ?? stateHash, "order \(number)", sourceLocation: sourceLocation)
      (result, hash) = (expected, stateHash)
      // What is read back from the disk judges alike, what is there and what comes.
      let states = try listener.database.accounts().map(\.account)
      #expect(try listener.reopened().accounts().map(\.account) == states, sourceLocation: sourceLocation)
      try listener.expectPeople("order \(number)", sourceLocation: sourceLocation)
    }
    return try #require(result)
  }
}
