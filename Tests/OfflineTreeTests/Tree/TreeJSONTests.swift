import OfflineTree
import TestSupport
import Testing

/// JSON that is written from the rows is the JSON of the value.
struct TreeJSONTests {
  private let folder: TemporaryFolder
  private let database: Database

  init() throws {
    folder = try TemporaryFolder()
    database = try Database.create(
      at: "\(folder.path)/home", space: "test", flags: [Genesis.Flag(counter: "polls/*", template: "users/$voter/*")],
      recovery: RecoveryCode(), deviceName: "a", options: Database.Options(durability: .unsafeNoSync))
  }

  private func expectSame(
    at path: Path, as value: Value? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try database.read { transaction in
      let read = try transaction.value(at: path)
      if let value { #expect(read == value, sourceLocation: sourceLocation) }
      for pretty in [false, true] {
        let text = try transaction.json(at: path, pretty: pretty)
        #expect(UTF8Text.areEqual(text, read.json(pretty: pretty)), sourceLocation: sourceLocation)
      }
    }
  }

  private static let keys = [
    "a", "b", "author", "0", "7", "10", "007", "-5", "-007", "-0", "2147483647", "-2147483648", "2147483648", "123456",
    "a\"b", "c\\d", "\"", "é", "\u{E000}", "\u{FFFD}", "\u{FEFF}x", "😀", "e\u{301}", "\u{80}", " ",
    String(repeating: "k", count: 150), String(repeating: "é", count: 100) + "1",
    String(repeating: "0", count: 120) + "9",
  ]

  private static let scalars: [Value] = [
    true, false, 0, -1, .int(.max), .int(.min), 1.0, 0.1, 1e300, .double(.leastNonzeroMagnitude), "", "x", "\"", "\\",
    "\u{0}\u{1F}\u{8}\t\n\u{C}\r", "é😀\u{2028}\u{7F}", "eight by", "sixteen bytes at", "12345678\"1234567\\",
    .string(String(repeating: "long ", count: 200)),
  ]

  private static func tree(_ random: inout SeededRandom, levels: Int) throws -> Value {
    if levels == 0 || Int.random(in: 0..<4, using: &random) == 0 {
      return scalars[Int.random(in: 0..<scalars.count, using: &random)]
    }
    let members = try (0..<Int.random(in: 1...5, using: &random)).map { _ in
      (key: try Key(keys[Int.random(in: 0..<keys.count, using: &random)]), value: try tree(&random, levels: levels - 1))
    }
    return Value(members: members)
  }

  private static func paths(of value: Value, below path: Path = .root) throws -> [Path] {
    try [path] + (value.object?.members ?? []).flatMap { try paths(of: $0.value, below: try path.child($0.key)) }
  }

  @Test(arguments: 1...40 as ClosedRange<UInt64>)
  func `any tree is written as its value is, from every path`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let tree = try Self.tree(&random, levels: 3)
    try database.write { try $0.setValue(NewValue(tree), at: .root) }
    for path in try Self.paths(of: tree).prefix(50) { try expectSame(at: path, as: tree[path]) }
  }

  @Test(arguments: keys)
  func `a key is written and read back`(text: String) throws {
    let key = try Key(text)
    let value = Value(members: [(key: key, value: 1)])
    try database.write { try $0.setValue(NewValue(value), at: .root) }
    try expectSame(at: .root, as: value)
    #expect(try Value(json: database.read { try $0.jsonBytes(at: .root) }) == value)
  }

  @Test func `nothing is null, and a leaf is its scalar`() throws {
    try expectSame(at: .root, as: .null)
    #expect(try database.read { try $0.json(at: .root) } == "null")
    try database.write { try $0.setValue(["a": ["b": "x"], "ab": 1], at: .root) }
    try expectSame(at: try Path("a/b"), as: "x")
    try expectSame(at: try Path("a/b/c"), as: .null)
    try expectSame(at: try Path("a"), as: ["b": "x"])
    try expectSame(at: try Path("c"), as: .null)
    #expect(try database.read { try $0.json(at: try Path("a/b")) } == "\"x\"")
  }

  @Test func `counters and flags are written as they show`() throws {
    let (poll, count) = (try Path("polls/first"), try Path("counts/first"))
    try database.write { transaction in
      try transaction.vote(poll, voter: try Key("ada"), choice: 1)
      try transaction.vote(try Path("polls/2"), voter: try Key("ada"), choice: 1)
      try transaction.increment(count, by: .int(3))
    }
    try expectSame(
      at: .root,
      as: ["polls": ["first": 1, "2": 1], "counts": ["first": 3], "users": ["ada": ["first": true, "2": true]]])
    try database.write { transaction in
      try transaction.vote(poll, voter: try Key("ada"), choice: 0)
      try transaction.setValue(["below": 1.5], at: count)
      let text = try transaction.json(at: .root)
      #expect(UTF8Text.areEqual(text, try transaction.value(at: .root).json()))
      #expect(text.contains(#""counts":{"first":{"below":1.5}}"#))
    }
    try expectSame(at: .root)
  }

  @Test func `a large value comes in pieces, until the reader throws`() throws {
    let tree = Value(elements: (0..<5_000).map { ["text": .string("number \($0)"), "square": .int(Int64($0 * $0))] })
    try database.write { try $0.setValue(NewValue(tree), at: .root) }
    var pieces: [[UInt8]] = []
    try database.read { try $0.writeJSON(at: .root) { pieces.append($0) } }
    #expect(pieces.count > 2)
    #expect(Array(pieces.joined()) == tree.jsonBytes())
    var calls = 0
    let error = #expect(throws: TreeError.self) {
      try database.read { transaction in
        try transaction.writeJSON(at: .root) { _ in
          calls += 1
          if calls == 2 { throw TreeError(.unavailable, "nobody reads") }
        }
      }
    }
    #expect(error?.code == .unavailable)
    #expect(calls == 2)
  }
}
