import TestSupport
import Testing

@testable import OfflineTree

/// What queries find in Firebase's SDKs, as tables.
@Suite struct QueryVectorTests {
  struct Row: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let tree: String
    let query: @Sendable (DatabaseQuery) -> DatabaseQuery
    let keys: [String]

    init(
      _ name: String, _ tree: String, _ query: @escaping @Sendable (DatabaseQuery) -> DatabaseQuery, _ keys: [String]
    ) {
      testDescription = name
      self.tree = tree
      self.query = query
      self.keys = keys
    }
  }

  private static let priorities = """
    {"alpha42": {".value": 1, ".priority": "zed"}, "noPriorityC": 1, "num41": {".value": 1, ".priority": 500},
    "noPriorityB": 1, "num80": {".value": 1, ".priority": 4000.1}, "num50": {".value": 1, ".priority": 4000},
    "num10": {".value": 1, ".priority": 24}, "alpha41": {".value": 1, ".priority": "zed"},
    "alpha20": {".value": 1, ".priority": "horse"}, "num20": {".value": 1, ".priority": 123},
    "num70": {".value": 1, ".priority": 4000.01}, "noPriorityA": 1, "alpha30": {".value": 1, ".priority": "tree"},
    "num30": {".value": 1, ".priority": 300}, "num60": {".value": 1, ".priority": 4000.001},
    "alpha10": {".value": 1, ".priority": "0horse"}, "num42": {".value": 1, ".priority": 500},
    "alpha40": {".value": 1, ".priority": "zed"}, "num40": {".value": 1, ".priority": 500}}
    """
  private static let integerKeys = #"{"1": 1, "50": 1, "550": 1, "6": 1, "600": 1, "70": 1, "8": 1, "80": 1}"#
  private static let fewPriorities = """
    {"a": 1, "b": 1, "c": {".value": 1, ".priority": 2}, "d": {".value": 1, ".priority": 3},
    "e": {".value": 1, ".priority": "hi"}}
    """
  private static let foo = #"{"a": {"foo": 2}, "b": {"x": 1}, "c": {"foo": false}, "d": {"foo": "hello"}}"#
  private static let order = #"{"a": {"o": 2}, "b": {"o": 0}, "c": {"o": 1}, "d": {"o": 3}}"#
  private static let kinds = """
    {"n": {"y": 1}, "f": {"x": false}, "t": {"x": true}, "i": {"x": -5}, "j": {"x": 2.5}, "k": {"x": 3}, "s": {"x": ""},
    "u": {"x": "a"}, "o": {"x": {"z": 1}}, "p": {"x": {"a": 1}}}
    """
  private static let dinosaurs = """
    {"linhenykus": {"height": 0.6, "ratings": {"pos": 1}}, "pterodactyl": {"height": 0.6, "ratings": {"pos": 4}},
    "lambeosaurus": {"height": 2.1, "ratings": {"pos": 2}}, "triceratops": {"height": 3, "ratings": {"pos": 5}},
    "stegosaurus": {"height": 4, "ratings": {"pos": 4}}, "bruhathkayosaurus": {"height": 25, "ratings": {"pos": 3}}}
    """
  private static let scores = """
    {"bruhathkayosaurus": 55, "lambeosaurus": 21, "linhenykus": 80, "pterodactyl": 93, "stegosaurus": 5,
    "triceratops": 22}
    """

  static let rows: [Row] = [
    Row(
      "mixed priorities", priorities, { $0 },
      [
        "noPriorityA", "noPriorityB", "noPriorityC", "num10", "num20", "num30", "num40", "num41", "num42", "num50",
        "num60", "num70", "num80", "alpha10", "alpha20", "alpha30", "alpha40", "alpha41", "alpha42",
      ]),
    Row(
      "mixed priorities, the last four", priorities, { $0.queryLimited(toLast: 4) },
      ["alpha30", "alpha40", "alpha41", "alpha42"]),
    Row(
      "mixed priorities, the first four", priorities, { $0.queryLimited(toFirst: 4) },
      ["noPriorityA", "noPriorityB", "noPriorityC", "num10"]),
    Row(
      "mixed priorities, the last seventeen", priorities, { $0.queryLimited(toLast: 17) },
      [
        "noPriorityC", "num10", "num20", "num30", "num40", "num41", "num42", "num50", "num60", "num70", "num80",
        "alpha10", "alpha20", "alpha30", "alpha40", "alpha41", "alpha42",
      ]),
    Row(
      "mixed priorities, descending, the first two", priorities,
      { $0.queryOrderedByPriority(descending: true).queryLimited(toFirst: 2) }, ["alpha42", "alpha41"]),
    Row(
      "mixed priorities, descending, the last two", priorities,
      { $0.queryOrderedByPriority(descending: true).queryLimited(toLast: 2) }, ["noPriorityB", "noPriorityA"]),
    Row(
      "integer keys", #"{"foo":1,"bar":1,"03":1,"0":1,"100":1,"20":1,"5":1,"3":1,"003":1,"9":1}"#,
      { $0.queryOrderedByKey() }, ["0", "3", "03", "003", "5", "9", "20", "100", "bar", "foo"]),
    Row("한글 keys", #"{"윤규완오빠":1,"유주연":1}"#, { $0.queryOrderedByKey() }, ["유주연", "윤규완오빠"]),
    Row(
      "from a key without a priority", integerKeys, { $0.queryStarting(atValue: nil, childKey: "80") },
      ["80", "550", "600"]),
    Row(
      "after the highest integer", #"{"1": 1, "80": 1, "a": 1}"#,
      { $0.queryStarting(afterValue: nil, childKey: "2147483647") }, ["a"]),
    Row(
      "before the lowest integer", integerKeys, { $0.queryEnding(beforeValue: nil, childKey: "-2147483648") }, []),
    Row("up to a priority", fewPriorities, { $0.queryEnding(atValue: 2) }, ["a", "b", "c"]),
    Row(
      "without a priority", fewPriorities, { $0.queryStarting(atValue: nil).queryEnding(atValue: nil) }, ["a", "b"]),
    Row("from a priority", fewPriorities, { $0.queryStarting(atValue: 3) }, ["d", "e"]),
    Row("after no priority", fewPriorities, { $0.queryStarting(afterValue: nil) }, ["c", "d", "e"]),
    Row("a text as priority", fewPriorities, { $0.queryEqual(toValue: "hi") }, ["e"]),
    Row(
      "nothing up to one", foo,
      { $0.queryOrdered(byChild: "foo").queryStarting(atValue: nil).queryEnding(atValue: 1) }, ["b", "c"]),
    Row("without the child", foo, { $0.queryOrdered(byChild: "foo").queryEqual(toValue: nil) }, ["b"]),
    Row("the last two", order, { $0.queryOrdered(byChild: "o").queryLimited(toLast: 2) }, ["a", "d"]),
    Row(
      "the best two", order, { $0.queryOrdered(byChild: "o", descending: true).queryLimited(toFirst: 2) }, ["d", "a"]),
    Row(
      "every kind", kinds, { $0.queryOrdered(byChild: "x") }, ["n", "f", "t", "i", "j", "k", "s", "u", "o", "p"]),
    Row(
      "every kind, descending", kinds, { $0.queryOrdered(byChild: "x", descending: true) },
      ["p", "o", "u", "s", "k", "j", "i", "t", "f", "n"]),
    Row(
      "numbers only", kinds,
      { $0.queryOrdered(byChild: "x").queryStarting(afterValue: true).queryEnding(beforeValue: "") }, ["i", "j", "k"]),
    Row(
      "descending from a value on", kinds,
      { $0.queryOrdered(byChild: "x", descending: true).queryStarting(atValue: 3).queryLimited(toFirst: 2) },
      ["k", "j"]),
    Row(
      "height", dinosaurs, { $0.queryOrdered(byChild: "height") },
      ["linhenykus", "pterodactyl", "lambeosaurus", "triceratops", "stegosaurus", "bruhathkayosaurus"]),
    Row(
      "a deep child", dinosaurs, { $0.queryOrdered(byChild: "ratings/pos").queryStarting(atValue: 4) },
      ["pterodactyl", "stegosaurus", "triceratops"]),
    Row(
      "equal to a value, one key", dinosaurs,
      { $0.queryOrdered(byChild: "height").queryEqual(toValue: 0.6, childKey: "pterodactyl") }, ["pterodactyl"]),
    Row(
      "by value", scores, { $0.queryOrderedByValue() },
      ["stegosaurus", "lambeosaurus", "triceratops", "bruhathkayosaurus", "linhenykus", "pterodactyl"]),
    Row(
      "by key between", dinosaurs,
      { $0.queryOrderedByKey().queryStarting(atValue: "lambeosaurus").queryEnding(beforeValue: "pterodactyl") },
      ["lambeosaurus", "linhenykus"]),
    Row(
      "by key, empty between", dinosaurs,
      { $0.queryOrderedByKey().queryStarting(atValue: "m").queryEnding(atValue: "k") }, []),
    Row(
      "by key, one", dinosaurs, { $0.queryOrderedByKey().queryEqual(toValue: "stegosaurus") }, ["stegosaurus"]),
    Row(
      "by key, descending", dinosaurs,
      { $0.queryOrderedByKey(descending: true).queryStarting(afterValue: "stegosaurus").queryLimited(toFirst: 2) },
      ["pterodactyl", "linhenykus"]),
    Row("of a leaf", "5", { $0.queryOrdered(byChild: "x") }, []),
    Row("of a leaf, by key", "5", { $0.queryOrderedByKey() }, []),
    Row("of nothing", "null", { $0.queryLimited(toFirst: 3) }, []),
  ]

  @Test(arguments: rows) func `a query finds what it finds there, with an index and without`(_ row: Row) throws {
    let space = try QuerySpace()
    try space.set("q", json: row.tree)
    let query = row.query(space.ref("q"))
    #expect(try query.keys() == row.keys)
    for child in ["x", "o", "foo", "height", "ratings/pos", ".value"] {
      try space.database.addIndex(at: "q", by: child)
    }
    try space.database.finishIndexes()
    #expect(try query.keys() == row.keys)
    #expect(try query.snapshot().childrenCount == UInt(row.keys.count))
    #expect(try query.snapshot().exists() == !row.keys.isEmpty)
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let query: @Sendable (DatabaseQuery) -> DatabaseQuery

    init(_ name: String, _ query: @escaping @Sendable (DatabaseQuery) -> DatabaseQuery) {
      testDescription = name
      self.query = query
    }
  }

  static let wrong: [Wrong] = [
    Wrong("two orders") { $0.queryOrderedByKey().queryOrderedByValue() },
    Wrong("two orders, the same") { $0.queryOrderedByPriority().queryOrderedByPriority() },
    Wrong("two starts") { $0.queryStarting(atValue: 1).queryStarting(afterValue: 2) },
    Wrong("two ends") { $0.queryEnding(atValue: 1).queryEnding(beforeValue: 2) },
    Wrong("equal and a start") { $0.queryEqual(toValue: 1).queryStarting(atValue: 1) },
    Wrong("an end and equal") { $0.queryEnding(atValue: 1).queryEqual(toValue: 1) },
    Wrong("two limits") { $0.queryLimited(toFirst: 1).queryLimited(toLast: 1) },
    Wrong("a limit of 0") { $0.queryLimited(toFirst: 0) },
    Wrong("a limit above 2^31-1") { $0.queryLimited(toLast: 1 << 31) },
    Wrong("a child without a name") { $0.queryOrdered(byChild: "") },
    Wrong("$key") { $0.queryOrdered(byChild: "$key") },
    Wrong("$value") { $0.queryOrdered(byChild: "$value") },
    Wrong(".priority") { $0.queryOrdered(byChild: ".priority") },
    Wrong("a number as key") { $0.queryOrderedByKey().queryStarting(atValue: 3) },
    Wrong("nothing as key") { $0.queryOrderedByKey().queryEqual(toValue: nil) },
    Wrong("a key and a childKey") { $0.queryOrderedByKey().queryEnding(atValue: "a", childKey: "b") },
    Wrong("a key that cannot be one") { $0.queryOrderedByKey().queryEnding(atValue: "a.b") },
    Wrong("an object") { $0.queryOrdered(byChild: "a").queryStarting(atValue: ["x": 1]) },
    Wrong("an array") { $0.queryStarting(atValue: [1]) },
    Wrong("an order by key after a number") { $0.queryStarting(atValue: 3).queryOrderedByKey() },
    Wrong("a boolean as priority") { $0.queryStarting(atValue: true) },
    Wrong("what is not finite") { $0.queryOrderedByValue().queryStarting(atValue: Double.nan) },
    Wrong("a childKey that cannot be one") { $0.queryOrderedByValue().queryStarting(atValue: 1, childKey: "a/b") },
  ]

  @Test(arguments: wrong) func `a query that cannot be throws when it is read`(_ row: Wrong) throws {
    let space = try QuerySpace()
    let query = row.query(space.ref("q"))
    #expect(errorCode { try query.snapshot() } == .invalidArgument)
    #expect(errorCode { try query.queryLimited(toFirst: 5).snapshot() } == .invalidArgument)
  }

  @Test func `pages follow each other without gaps, whatever goes in between`() throws {
    let space = try QuerySpace()
    for number in 0..<20 { try space.set("jokes/j\(number)/votes", json: "\(number / 3)") }
    let query = space.ref("jokes").queryOrdered(byChild: "votes", descending: true).queryLimited(toFirst: 6)
    var page = query
    var seen: [String] = []
    while let last = try Array(page.snapshot().children).last {
      seen += try page.keys()
      try space.set("jokes/\(last.key)", json: "null")
      try space.set("jokes/new\(seen.count)/votes", json: "1000")
      page = page.query(after: last)
    }
    #expect(seen == (0..<20).sorted { ($0 / 3, "j\($0)") > ($1 / 3, "j\($1)") }.map { "j\($0)" })
    let first = try #require(try Array(space.ref("jokes").queryOrdered(byChild: "votes").snapshot().children).first)
    #expect(errorCode { try space.ref("users").query(after: first).snapshot() } == .invalidArgument)
    let before = space.ref("jokes").queryOrdered(byChild: "votes").queryLimited(toLast: 2).query(before: first)
    #expect(try before.keys() == [])
  }

  @Test func `a query without an index warns once`() throws {
    let space = try QuerySpace()
    try space.set("unindexed", json: #"{"a": {"v": 1}}"#)
    let warnings = Monitor<[String]>([])
    space.database.warnings = { text in warnings.withLock { $0.append(text) } }
    for _ in 0..<3 {
      _ = try space.ref("unindexed").queryOrdered(byChild: "v").keys()
      _ = try space.ref("unindexed").queryOrderedByKey().keys()
      _ = try space.ref("unindexed").queryOrderedByPriority().keys()
    }
    let texts = warnings.withLock { $0 }
    #expect(texts.count == 1)
    #expect(texts.first?.contains(#"".indexOn": "v""#) == true)
  }
}
