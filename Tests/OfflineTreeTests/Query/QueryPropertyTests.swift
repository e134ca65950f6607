import TestSupport
import Testing

@testable import OfflineTree

/// For random trees and random queries, what an index says, what a look at every child says, and a naive model agree.
@Suite struct QueryPropertyTests {
  private static let indexes = [
    ("", ".value"), ("a", "x"), ("a", "x/m"), ("a", ".value"), ("*", "x"), ("a/x", ".value"), ("own", "votes"),
    ("open", "votes"), ("open", "text"), ("users", "votes"), ("users/$user/votes", ".value"),
  ]
  private static let parents = ["", "a", "b", "a/x", "own", "open", "users", "users/u", "users/u/votes", "nothing"]

  private func addIndexes(_ database: Database, _ random: inout SeededRandom) throws {
    for (parent, child) in Self.indexes where random.chance(70) { try database.addIndex(at: parent, by: child) }
    if random.chance(50) { try database.finishIndexes() } else { _ = try database.workOnIndexes() }
  }

  private func query(_ random: inout SeededRandom, keys: [Key]) throws -> QueryParameters {
    var query = QueryParameters()
    query.order = random.pick([
      .key, .value, .priority, .child(try Path("x")), .child(try Path("x/m")), .child(try Path("votes")),
      .child(try Path("text")),
    ])
    query.isDescending = random.chance(40)
    if random.chance(50) { query.limit = QueryLimit(random.pick([1, 2, 3, 10]), random.pick([.first, .last])) }
    if random.chance(50) { query.start = bound(query.order, &random, keys) }
    if random.chance(50) { query.end = bound(query.order, &random, keys) }
    return query
  }

  private func bound(_ order: QueryOrder, _ random: inout SeededRandom, _ keys: [Key]) -> QueryBound {
    let key = random.pick(keys + ["a", "m", "x", "z", "0", "-"].map(Key.of))
    if order == .key { return QueryBound(value: .null, key: key, isInclusive: random.chance(50)) }
    let values: [IndexValue] = [
      .null, .scalar(.bool(false)), .scalar(.bool(true)), .scalar(.int(0)), .scalar(.int(1)), .scalar(.double(2.5)),
      .scalar(.int(7)), .scalar(.string("")), .scalar(.string("p")), .scalar(.string("s")), .object,
    ]
    return QueryBound(
      value: random.pick(values), key: random.chance(40) ? key : nil, isInclusive: random.chance(50))
  }

  private func expectAgreement(_ database: Database, _ random: inout SeededRandom, _ comment: String) throws {
    let problems = try database.verify().problems
    #expect(problems.isEmpty, "\(comment): \(problems)")
    for text in Self.parents {
      let path = try Path(text)
      let parent = PathKey(path)
      let value = try database.read { try $0.value(at: path) }
      let keys = value.object?.keys ?? []
      var priorities: [String: Scalar] = [:]
      for key in keys {
        priorities[key.text] = try database.read { try $0.priority(at: try path.child(key)) }
      }
      for _ in 0..<8 {
        let query = try query(&random, keys: keys)
        let expected = NaiveQuery.answer(query, value, priorities)
        let (found, scanned) = try database.view { rows, replica in
          (
            try QueryEngine.window(query, at: parent, rows, replica).entries,
            try QueryEngine.scan(query, at: parent, rows, replica).entries
          )
        }
        #expect(
          found.map { NaiveQuery.Entry(key: $0.key.text, value: $0.value) } == expected, "\(comment) \(text) \(query)")
        #expect(found == scanned, "\(comment) \(text) \(query)")
      }
    }
  }

  @Test(arguments: Seeds.scaled(20))
  func `after random merges all agree, with forks, copies and restored homes`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(3, seed: seed)
    for member in fleet.members where random.chance(70) { try addIndexes(member.database, &random) }
    var backups: [Int: String] = [:]
    for step in 0..<30 {
      let index = fleet.pick()
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<55: try fleet.writeRandomly(index)
      case 55..<75:
        let (from, to) = fleet.pickPair()
        try fleet.send(from: from, to: to, .random(&random))
      case 75..<80: try addIndexes(fleet[index], &random)
      case 80..<84: try fleet.reopen(index)
      case 84..<88: backups[index] = try fleet.backUp(index)
      case 88..<92:
        if let backup = backups[index] { try fleet.restore(index, from: backup, inPlace: random.chance(50)) }
      case 92..<94: if fleet.members.count < 5 { try fleet.clone(index) }
      case 94..<97: try fleet[index].leaveLog(isProven: true)
      default: try fleet[index].rebuildIndexes()
      }
      if random.chance(20) { try expectAgreement(fleet[index], &random, "seed \(seed), step \(step)") }
    }
    try fleet.meetAll()
    for member in fleet.members {
      try member.database.finishIndexes()
      try expectAgreement(member.database, &random, "seed \(seed), at the end")
    }
    try fleet.expectConverged()
  }

  @Test(arguments: Seeds.scaled(10))
  func `what an end takes back leaves the indexes too`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let fleet = try Fleet(3, seed: seed)
    try addIndexes(fleet[0], &random)
    for _ in 0..<12 { try fleet.writeRandomly(fleet.pick()) }
    try fleet.meetAll()
    for _ in 0..<6 { try fleet.writeRandomly(1) }
    try fleet.send(from: 1, to: 0)
    try fleet[0].removeMembers([fleet[1].deviceKey])
    try expectAgreement(fleet[0], &random, "seed \(seed)")
    try fleet[0].finishIndexes()
    try expectAgreement(fleet[0], &random, "seed \(seed), built")
  }
}
