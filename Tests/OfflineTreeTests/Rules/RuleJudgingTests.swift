import OfflineTree
import TestSupport
import Testing

/// What judging depends on, what it costs, and that nothing makes it stop short.
@Suite struct RuleJudgingTests {
  private static func change(_ puts: [(String, Scalar)]) throws -> Change {
    var form = NormalForm()
    for (path, value) in puts { form.append(.put(PathKey(try Path(path)), value)) }
    return Change(parents: [], stamp: Stamp(milliseconds: 1, counter: 0), wallTime: 0, operations: form.operations)
  }

  private static func refusal(_ expression: String, _ text: String) throws -> RuleRefusal? {
    try Rules(expression: expression).refusal(of: try change([("here", .string(text))]), by: nil, .none)
  }

  /// Enough for what does not depend on the text to count little.
  private static let longBytes = 1 << 17

  @Test(arguments: [
    "newData.val().matches(/(a|a|a|a|a|a)*b/)", "newData.val().matches(/(a{1,30}){1,12}b/)",
    "newData.val().matches(/\\w+\\w+\\w+\\w+\\w+\\w+\\w+\\w+!/)",
  ])
  func `a pattern that costs too much on a long text is refused for its cost`(expression: String) throws {
    let refusal = try Self.refusal(expression, String(repeating: "a", count: Self.longBytes))
    #expect(refusal?.kind == .cost)
    #expect(refusal?.description.hasPrefix("its rules cost too much to judge: .write of /$here (line 1)") == true)
  }

  @Test(arguments: [
    "newData.val().matches(/^[a-z ]+$/)", "newData.val().length == 131072", "newData.val().contains('aaaaaaaa')",
    "newData.val().toUpperCase().beginsWith('A')", "newData.val() == newData.val()",
    "newData.val().replace('b', 'c') == newData.val()",
  ])
  func `what is usual is judged for a long text`(expression: String) throws {
    #expect(try Self.refusal(expression, String(repeating: "a", count: Self.longBytes)) == nil)
  }

  @Test func `a text that rules make is no longer than a string may be`() throws {
    let text = String(repeating: "a", count: Limits.stringBytes)
    #expect(try Self.refusal("(newData.val() + 'a').length > 0", text)?.kind == .write)
    #expect(try Self.refusal("(newData.val() + '').length > 0", text) == nil)
    let short = String(repeating: "a", count: 4_096)
    #expect(try Self.refusal("newData.val().replace('a', newData.val()).length > 0", short)?.kind == .write)
    #expect(try Self.refusal("newData.val().replace('aaaa', 'b').length == 1024", short) == nil)
  }

  @Test func `the cost that is allowed grows with the change, whatever part of it needs it`() throws {
    // So many operators that one location is affordable, and thousands are not by themselves.
    let sum = Array(repeating: "1", count: 2_000).joined(separator: " + ")
    let text = "{\"rules\": {\"$a\": {\".write\": \"\(sum) == 2000\"}}}"
    let rules = try Rules(Array(text.utf8))
    let few = try Self.change((0..<10).map { ("k\($0)", .int(0)) })
    let many = try Self.change((0..<100).map { ("k\($0)", .int(0)) })
    let large = try Self.change((0..<100).map { ("k\($0)", .string(String(repeating: "x", count: 2_000))) })
    #expect(rules.refusal(of: few, by: nil, .none) == nil)
    #expect(rules.refusal(of: many, by: nil, .none)?.kind == .cost)
    #expect(rules.refusal(of: large, by: nil, .none) == nil)
  }

  @Test func `a location is asked once, however many leaves are below it`() throws {
    let sum = Array(repeating: "1", count: 5_000).joined(separator: " + ")
    let text = "{\"rules\": {\"a\": {\".write\": \"\(sum) == 5000\", \".validate\": \"\(sum) == 5000\"}}}"
    let change = try Self.change((0..<1_000).map { ("a/k\($0)", .int(0)) })
    #expect(try Rules(Array(text.utf8)).refusal(of: change, by: nil, .none) == nil)
  }

  /// What a change puts below every location, found without any shortcut.
  @Test(arguments: Seeds.scaled(20))
  func `newData is the puts at and below a location, whatever else is put`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let keys = ["a", "b", "ab", "1", "10", "2", "ä", "😀", "\u{F000}"]
    for _ in 0..<40 {
      let puts = (0..<Int.random(in: 1...12, using: &random)).map { _ in
        let levels = Int.random(in: 1...4, using: &random)
        return ((0..<levels).map { _ in random.pick(keys) }.joined(separator: "/"), Scalar.int(Int64(levels)))
      }
      let change = try Self.change(puts)
      let paths = change.operations.filter { $0.kind == 0x21 }.map { $0.path.description }
      for _ in 0..<10 {
        let path = (0..<Int.random(in: 1...3, using: &random)).map { _ in random.pick(keys) }.joined(separator: "/")
        let exists = paths.contains { ($0 + "/").hasPrefix(path + "/") }
        let isTree = paths.contains { $0.hasPrefix(path + "/") }
        let up = Array(repeating: ".parent()", count: path.split(separator: "/").count).joined()
        let expression =
          "newData.hasChild('\(path)') == \(exists) && newData.child('\(path)').hasChildren() == \(isTree)"
          + " && newData.child('\(path)')\(up).exists()"
        let text = "{\"rules\": {\".write\": \(JSON.scalar(.string(expression)))}}"
        let refusal = try Rules(Array(text.utf8)).refusal(of: change, by: nil, .none)
        #expect(refusal == nil, "seed \(seed), \(expression), \(paths)")
      }
    }
  }

  @Test(arguments: Seeds.scaled(10))
  func `a damaged document compiles or is refused with its place, and judges`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let pieces =
      ["newData", ".child('a')", ".val()", ".matches(/(a|b){2,}[^c]\\\\d/i)", "auth.uid", "$joke", " && ", " == "]
      + [
        "'x'", "1e3", "-", "(", ")", "[", "]", "?", ":", "\\u0041", "\\\"", "//", "/*", "*/", "\n", "{", "}", ",", "é",
      ]
    let document = Array(try Fixtures.text("rules/jokes.rules").utf8)
    let anna = Actor(uid: try Key("a"), email: "a", name: "A", isEmailVerified: true)
    let change = try Self.change([("jokes/j/author", .string("A")), ("jokes/j/votes", .int(0)), ("users/a", .int(1))])
    var refusals = 0
    for _ in 0..<100 {
      var text = document
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let place = Int.random(in: 0..<text.count, using: &random)
        let end = min(text.count, place + Int.random(in: 0...4, using: &random))
        text.replaceSubrange(
          place..<end, with: Array(random.pick(pieces).utf8) + random.bytes(random.chance(20) ? 1 : 0))
      }
      do {
        let rules = try Rules(text)
        #expect(rules.refusal(of: change, by: anna, .none) == rules.refusal(of: change, by: anna, .none))
        _ = rules.refusal(of: change, by: nil, .none)
      } catch {
        refusals += 1
        #expect(error.context.hasPrefix("line "), "seed \(seed): \(error)")
      }
    }
    #expect(refusals > 0 && refusals < 100)
  }

  @Test func `operations out of order do not stop judging`() throws {
    let rules = try RuleTable("jokes").rules
    let sorted = try Self.change([
      ("jokes/a/author", .string("A")), ("jokes/a/votes", .int(0)), ("users/b/email", .string("b")), ("x", .int(1)),
    ])
    var random = SeededRandom(seed: 1)
    let extra: [Operation] = [
      .clear(.root), .vote(PathKey(try Path("jokes/a/votes")), voter: try Key("b"), choice: 1),
      .put(PathKey(try Path("jokes")), .int(1)), .increment(PathKey(try Path("x")), by: .int(1)),
    ]
    for _ in 0..<200 {
      var change = sorted
      change.operations = (sorted.operations + extra).shuffled(using: &random)
      #expect(rules.refusal(of: change, by: nil, .none) != nil)
    }
  }

  @Test func `indexes are what .indexOn names`() throws {
    let text = """
      {"rules": {"scores": {".indexOn": ".value"}, "$kind": {"items": {".indexOn": ["height", "name/last"]}}}}
      """
    let rules = try Rules(Array(text.utf8))
    #expect(rules.indexes(at: PathKey(try Path("scores"))) == [".value"])
    #expect(rules.indexes(at: PathKey(try Path("dinosaurs/items"))) == ["height", "name/last"])
    #expect(rules.indexes(at: PathKey(try Path("dinosaurs"))) == [])
    #expect(rules.indexes(at: PathKey(try Path("a/b/c"))) == [])
  }

  /// An expression, and the column of the email that it rests on, if it does.
  @Test(arguments: [
    ("auth.token.email == 'a@b.c'", 1), ("auth.email == 'a@b.c'", 1), ("auth != null && auth.token.email != ''", 17),
    ("auth.token.email == 'a@b.c' && auth.token.email_verified == true", nil),
    ("auth.uid == 'x' || auth.email == 'y'", nil),
    ("auth.uid == 'x'", nil),
  ])
  func `what rests on an email alone is warned of, with its place`(expression: String, column: Int?) throws {
    for rule in [".write", ".validate", ".vote", ".increment"] {
      let text = "{\"rules\": {\"a\": {\n\"\(rule)\": \"\(expression)\"}}}"
      let warnings = try Rules(Array(text.utf8)).warnings
      #expect(warnings.map(\.line) == (column == nil ? [] : [2]))
      #expect(warnings.map(\.column) == column.map { [$0 + rule.utf8.count + 5] } ?? [])
      #expect(warnings.allSatisfy { $0.location == "/a/\(rule)" && $0.message.contains("self-asserted") })
    }
  }

  @Test func `nothing is allowed where the rules are empty`() throws {
    let rules = try Rules(Array("{\"rules\": {}}".utf8))
    let anna = Actor(uid: try Key("a"), email: "", name: "", isEmailVerified: true)
    #expect(rules.refusal(of: try Self.change([("a", .int(1))]), by: anna, .none)?.kind == .write)
    #expect(!rules.allowsReading(.root, by: anna, now: 0))
    #expect(rules.refusal(of: try Self.change([]), by: nil, .none) == nil)
  }
}
