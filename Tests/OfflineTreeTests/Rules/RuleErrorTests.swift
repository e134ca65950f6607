import TestSupport
import Testing

@testable import OfflineTree

/// What cannot be compiled is refused with its place and a word that says why.
@Suite struct RuleErrorTests {
  /// A document, the line and column of what is wrong, and some of what is said.
  static let documents: [(String, Int, Int, String)] = [
    ("", 1, 1, "ends where a value should be"),
    ("[]", 1, 1, "not an object"),
    ("{}", 1, 2, "\"rules\" is missing"),
    ("{\"Rules\": {}}", 1, 2, "where \"rules\" should be"),
    ("{\"rules\": true}", 1, 11, "\"rules\" is not an object"),
    ("{\"rules\": {}, \"more\": {}}", 1, 15, "stands beside"),
    ("{\"rules\": {}} x", 1, 15, "something follows"),
    ("{\n  \"rules\": {\n    \".write\" true}}", 3, 14, "expected :"),
    ("{\"rules\": {\n  // a comment\n  \".wriet\": true}}", 3, 3, "there is no rule .wriet"),
    ("{\"rules\": {/* never\n ends", 1, 12, "no end"),
    ("{\"rules\": {\".write\": 1}}", 1, 22, "neither an expression nor true nor false"),
    ("{\"rules\": {\".write\": null}}", 1, 22, "neither an expression nor true nor false"),
    ("{\"rules\": {\"a\": true}}", 1, 17, "/a is not an object"),
    ("{\"rules\": {\"a\": {}, \"a\": {}}}", 1, 21, "\"a\" is there twice"),
    ("{\"rules\": {\"a\": {\".read\": true, \".read\": true}}}", 1, 33, "\".read\" is there twice"),
    ("{\"rules\": {\"$a\": {}, \"$b\": {}}}", 1, 22, "second variable"),
    ("{\"rules\": {\"$a\": {\"b\": {\"$a\": {}}}}}", 1, 25, "variable above"),
    ("{\"rules\": {\"$\": {}}}", 1, 12, "no name of a variable"),
    ("{\"rules\": {\"$a-b\": {}}}", 1, 12, "no name of a variable"),
    ("{\"rules\": {\"a/b\": {}}}", 1, 12, "a character that keys cannot have"),
    ("{\"rules\": {\"\": {}}}", 1, 12, "a key is empty"),
    ("{\"rules\": {\"a\n\": {}}}", 1, 12, "control character"),
    ("{\"rules\": {\".indexOn\": 1}}", 1, 24, "neither a string nor an array"),
    ("{\"rules\": {\".indexOn\": [\"a\", 1]}}", 1, 30, "no string"),
    ("{\"rules\": {\".indexOn\": [\".key\"]}}", 1, 25, "a character that keys cannot have"),
    (
      "{\"rules\": {\n  \".write\": \"auth != null &&\n             data.exists()\"}}", 3, 14,
      "data does not exist here"
    ),
    ("{\"rules\": {\".write\": \"'\\\\u+041' == 'A'\"}}", 1, 24, "four hexadecimal digits"),
    ("{\"rules\": {\".write\": \"'\\u00e9\\\"' == x\"}}", 1, 37, "there is no x"),
    ("{\"rules\": {\".write\": \"'\\ud83d\\ude00é' == x\"}}", 1, 43, "there is no x"),
  ]

  @Test(arguments: documents)
  func `a document is refused at the place of what is wrong`(
    text: String, line: Int, column: Int, words: String
  ) throws {
    let error = try #require(throws: TreeError.self) { try Rules(Array(text.utf8)) }
    #expect(error.context.hasPrefix("line \(line), column \(column): "), "\(error)")
    #expect(error.context.contains(words), "\(error)")
    #expect(error.code == .invalidArgument)
  }

  /// An expression, the column of what is wrong, and some of what is said.
  static let expressions: [(String, Int, String)] = [
    ("", 1, "ends where a value should be"), ("1 +", 4, "ends where a value should be"),
    ("true)", 5, "expected an operator"),
    ("(true", 6, "expected )"), ("true true", 6, "expected an operator"), ("true ? true", 12, "expected :"),
    ("= 1", 1, "\"=\" is no part"), ("true & true", 6, "\"&\" is no part"), ("ä", 1, "\"ä\" is no part"),
    ("1.x == 1", 1, "not a number"), ("01 == 1", 1, "not a number"), ("1e999 > 1", 1, "not a number"),
    ("'abc", 1, "no end"), ("'\\q' == 'q'", 2, "an escape"), ("'\\u12' == 'q'", 2, "hexadecimal"),
    ("'\\ud800' == ''", 2, "hexadecimal"),
    ("root.exists()", 1, "root does not exist here"), ("data.val() == 1", 1, "data does not exist here"),
    ("query.x", 1, "query does not exist"),
    ("nobody == 1", 1, "there is no nobody"), ("$nobody == 'a'", 1, "there is no $nobody"),
    ("True", 1, "there is no True"),
    ("1", 1, "a number, not a boolean"), ("'a'", 1, "a string, not a boolean"), ("null", 1, "null, not a boolean"),
    ("auth", 1, "not a boolean"),
    ("newData", 1, "newData is no value"), ("newData == null", 1, "newData is no value"),
    ("!newData", 2, "newData is no value"),
    ("newData.child('a') && true", 1, "newData is no value"), ("auth.uid", 1, "null or a string, not a boolean"),
    ("auth && true", 1, "before && is null or an object"), ("true || 1", 9, "after || is a number"),
    ("!1", 2, "after ! is a number"),
    ("-'a' == 1", 2, "after - is a string"), ("1 ? true : false", 1, "the condition of ? : is a number"),
    ("1 == 'a'", 3, "never equal"),
    ("auth == 1", 6, "never equal"), ("auth.uid == 1", 10, "never equal"),
    ("1 < 'a'", 3, "takes two numbers or two strings"),
    ("true < false", 6, "takes two numbers or two strings"), ("1 + 'a' == 1", 3, "takes two numbers or two strings"),
    ("'a' * 2 == 1", 5, "takes two numbers"),
    ("auth.name == 'a'", 6, "there is no auth.name"), ("auth.token == null", 1, "auth.token is no value"),
    ("auth.token.sub == 'a'", 6, "there is no auth.token.sub"),
    ("newData.value() == 1", 9, "newData has no .value"), ("newData.getPriority() == 1", 9, "getPriority"),
    ("newData.val == 1", 13, "expected ("),
    ("newData.child() == 1", 15, "expected a value"), ("newData.child(1).exists()", 15, "a number, not a string"),
    ("newData.child('').exists()", 15, "empty"),
    ("newData.child('a.b').exists()", 15, "a character that keys cannot have"),
    ("newData.hasChildren([])", 22, "expected a value"),
    ("newData.hasChildren('a')", 21, "takes a list"), ("newData.hasChildren([1])", 22, "not a string"),
    ("newData['a'].exists()", 8, "there is no [ ]"),
    ("1.0.length == 1", 1, "not a number"), ("now.length == 1", 5, "a number has no .length"),
    ("'a'.size == 1", 5, "strings have no .size"),
    ("'a'.contains(1)", 14, "contains() takes is a number"), ("'a'.replace('b')", 16, "expected ,"),
    ("'a'.matches('a')", 13, "takes a pattern"),
    ("/a/ == 'a'", 1, "a pattern stands"), ("'a'.matches(/a/g)", 16, "the flags \"g\""),
    ("'a'.matches(/a)", 13, "no end"),
  ]

  @Test(arguments: expressions)
  func `an expression is refused at the place of what is wrong`(text: String, column: Int, words: String) throws {
    let document = "{\"rules\": {\n\".write\": \"\(text.replacing("\\", with: "\\\\"))\"}}"
    // Escapes of the document take two bytes there.
    let shift = text.utf8.prefix(max(0, column - 1)).count { $0 == UInt8(ascii: "\\") }
    let error = try #require(throws: TreeError.self) { try Rules(Array(document.utf8)) }
    #expect(error.context.hasPrefix("line 2, column \(column + 11 + shift): "), "\(error)")
    #expect(error.context.contains(words), "\(error)")
  }

  /// A pattern, the column of what is wrong, and some of what is said.
  static let patterns: [(String, Int, String)] = [
    ("(a", 1, "a ( without its )"), ("a)", 2, "a ) without its ("), ("[a", 0, "a pattern has no end"),
    ("[]", 1, "a class without"), ("[^]", 1, "a class without"),
    ("*", 1, "nothing stands before *"), ("a|+", 3, "nothing stands before +"), ("(?", 1, "no such kind"),
    ("{2}", 1, "nothing stands before {"),
    ("a**", 3, "a repeat of a repeat"), ("a{2}{3}", 5, "a repeat of a repeat"), ("^*", 2, "cannot be repeated"),
    ("\\\\b+", 3, "cannot be repeated"),
    ("a{", 3, "expected a number"), ("a{x}", 3, "expected a number"), ("a{1", 4, "expected , or }"),
    ("a{3,2}", 2, "a repeat from 3 to 2"), ("a{1001}", 3, "beyond 1000"),
    ("a{99999999999999999999}", 3, "beyond 1000"), ("(a{1000}){1000}", 1, "more than 1024 steps"),
    ("((((){1000}){1000}){1000}){1000}", 1, "more than 1024 steps"),
    ("(?=a)", 1, "looking ahead"), ("(?!a)", 1, "looking ahead"), ("(?<=a)", 1, "looking ahead"),
    ("(?<n>a)", 1, "looking ahead"), ("(a)\\\\1", 4, "back reference"),
    ("\\\\q", 1, "an escape"), ("[\\\\q]", 2, "an escape"), ("[b-a]", 2, "ends before it begins"),
    ("[a-\\\\d]", 2, "without its last"), ("\\\\xg0", 3, "hexadecimal"), ("\\\\ud800", 3, "hexadecimal"),
    ("[a-", 0, "a pattern has no end"),
  ]

  @Test(arguments: patterns)
  func `a pattern is refused at the place of what is wrong`(text: String, column: Int, words: String) throws {
    let before = "{\"rules\": {\".write\": \"'a'.matches(/"
    let error = try #require(throws: TreeError.self) { try Rules(Array((before + text + "/)\"}}").utf8)) }
    // The backslash of an escape is doubled in the document.
    let backslashes = text.utf8.prefix(max(0, column - 1)).count { $0 == UInt8(ascii: "\\") } / 2
    let place = before.utf8.count + column + backslashes
    #expect(error.context.hasPrefix("line 1, column \(place): "), "\(error)")
    #expect(error.context.contains(words), "\(error)")
  }

  @Test func `data is refused with the reason and what to use instead`() throws {
    let error = try #require(throws: TreeError.self) { try Rules(expression: "!data.exists()") }
    #expect(error.context.contains("replicas have no single value before a change, and what conflicts is merged"))
    #expect(error.advice.contains("add-only sets, .vote and .increment"))
  }

  @Test func `newData does not exist where things are read`() throws {
    let text = "{\"rules\": {\".read\": \"newData.exists()\"}}"
    let error = try #require(throws: TreeError.self) { try Rules(Array(text.utf8)) }
    #expect(error.context == "line 1, column 22: newData does not exist in .read")
  }

  @Test func `documents are bounded in bytes and levels`() throws {
    func nested(_ levels: Int) -> [UInt8] {
      let open = String(repeating: "{\"a\": ", count: levels)
      return Array("{\"rules\": \(open){}\(String(repeating: "}", count: levels))}".utf8)
    }
    _ = try Rules(nested(Limits.rulesDepth))
    let deep = try #require(throws: TreeError.self) { try Rules(nested(Limits.rulesDepth + 1)) }
    #expect(deep.context.contains("deeper than 32 levels"))
    let padding = "{\"rules\": {}}".utf8 + Array(repeating: UInt8(ascii: " "), count: Limits.rulesBytes - 13)
    _ = try Rules(padding)
    let long = try #require(throws: TreeError.self) { try Rules(padding + [0x20]) }
    #expect(long.code == .limitExceeded)
  }

  @Test(arguments: ["(", "!", "-", "true ? true : ", "newData.child(", "(?:"])
  func `an expression is bounded in how deep it is`(part: String) throws {
    let start = part == "(?:" ? "'a'.matches(/" : ""
    let text = start + String(repeating: part, count: 1_000) + "/)"
    let error = try #require(throws: TreeError.self) { try Rules(expression: text) }
    #expect(error.context.contains("inside each other"), "\(error)")
  }

  @Test func `the patterns of a document are bounded together`() throws {
    func document(_ patterns: Int) -> [UInt8] {
      let expression = [String](repeating: "$a.matches(/a{999}/)", count: patterns).joined(separator: "&&")
      return Array("{\"rules\":{\"$a\":{\".write\":\"\(expression)\"}}}".utf8)
    }
    let most = Limits.patternStepsOfRules / 1_000
    #expect(throws: Never.self) { try Rules(document(most)) }
    #expect(throws: TreeError.self) { try Rules(document(most + 1)) }
    #expect(RuleBook.fault(of: document(most + 1)) != nil)
    #expect(RuleBook.fault(of: []) != nil, "none is no document")
  }

  @Test func `a long expression that is not deep is taken`() throws {
    let text = Array(repeating: "newData.exists()", count: 2_000).joined(separator: " && ")
    #expect(try Rules.value(of: text) == true)
  }
}
