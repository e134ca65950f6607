import OfflineTree
import TestSupport
import Testing

struct JSONTests {
  @Test(
    arguments: [
      ("null", .null), (" true ", true), ("false", false), ("0", 0), ("-0", 0), ("-0.0", 0.0), ("0e5", 0.0),
      ("1.0", 1.0),
      ("1", 1), ("1e2", 100.0), ("1E+2", 100.0), ("125e-2", 1.25), ("9007199254740993", 9_007_199_254_740_993),
      ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
      ("9223372036854775808", .double(0x1p63)), ("-9223372036854775809", .double(-0x1p63)),
      ("1.7976931348623157e308", .double(.greatestFiniteMagnitude)), ("5e-324", .double(.leastNonzeroMagnitude)),
      ("1e-400", 0.0),
      ("0.1", 0.1), ("0.30000000000000004", .double(0.1 + 0.2)), ("123456789012345678e-3", 123456789012345.678),
      (#""""#, ""), (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{C}\n\r\t")), (#""\u00e9\uD83D\uDE00""#, "é😀"),
      (#""\u0000""#, .string("\u{0}")), ("\"é😀\u{7F}\"", .string("é😀\u{7F}")), ("{}", .null), ("[]", .null),
      ("[1,null,[2]]", ["0": 1, "2": ["0": 2]]), (#"{"a":1,"a":2}"#, ["a": 2]), (#"{"a":1,"a":null}"#, .null),
      ("\t\r\n{ \"b\" : [ ] , \"a\" : { \"c\" : false } } \n", ["a": ["c": false]]),
    ] as [(String, Value)])
  func `JSON is read`(text: String, value: Value) throws {
    #expect(try Value(json: text) == value)
  }

  static let refused = [
    "", " ", "nul", "nulll", "True", "01", "-", "+1", "1.", ".5", "1e", "1e+", "1-2", "--1", "1.2.3", "0x10", "NaN",
    "Infinity", "1e309", "-1e309", "\"", "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\uD800\"",
    "\"\\uD800\\n\"", "\"\\uDC00\"", "\"\\uD800\\u0041\"", "\"\n\"", "\"\t\"", "\"\u{1F}\"", "'a'", "{", "[", "}", "]",
    "[1", "[1,", "[1,]", "[,1]", "[1 2]", "[1}", "{\"a\"}", "{\"a\":}", "{\"a\":1", "{\"a\":1,", "{\"a\":1,}",
    "{a:1}", "{1:1}", "{\"a\" 1}", "{\"a\":1 \"b\":2}", "{\"a\":1]", "1 2", "{} {}", "[]]", "// c\n1", "\u{FEFF}1",
    "{\"a.b\":1}", "{\"\":1}", "{\"a/b\":1}", "{\"a\\u0000\":1}",
  ]

  @Test(arguments: refused)
  func `what is not JSON, or not for this tree, is refused`(text: String) {
    let error = #expect(throws: TreeError.self) { try Value(json: text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.context.contains("line ") == true)
  }

  @Test(
    arguments: [
      [0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xC3] + Array("\\u00e9\"".utf8), [0xEF, 0xBB, 0xBF, 0x31],
      [0x31, 0],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 text are refused`(bytes: [UInt8]) {
    #expect(throws: TreeError.self) { try Value(json: bytes) }
  }

  @Test func `64 levels are read and 65 are not`() throws {
    let deepest = String(repeating: "[", count: 64) + "1" + String(repeating: "]", count: 64)
    #expect(try !Value(json: deepest).isNull)
    let error = #expect(throws: TreeError.self) { try Value(json: "[" + deepest + "]") }
    #expect(error?.code == .limitExceeded)
    #expect(throws: TreeError.self) { try Value(json: String(repeating: "{\"a\":", count: 100_000)) }
  }

  @Test func `strings are read up to 10 MiB and numbers up to 4096 digits`() throws {
    let longest = "\"" + String(repeating: "x", count: Limits.stringBytes)
    #expect(try Value(json: longest + "\"").scalar != nil)
    let error = #expect(throws: TreeError.self) { try Value(json: longest + "x\"") }
    #expect(error?.code == .limitExceeded)
    #expect(try Value(json: "0." + String(repeating: "1", count: 4_094)) == .double(1.0 / 9))
    #expect(throws: TreeError.self) { try Value(json: "0." + String(repeating: "1", count: 4_095)) }
  }

  @Test func `an error says where`() throws {
    let error = #expect(throws: TreeError.self) { try Value(json: "{\n  \"a\": {\"b\": 1,\n \"c\": x}}") }
    #expect(error?.context == "JSON, line 3, column 7: expected a value")
    let bad = #expect(throws: TreeError.self) { try Value(json: #"{"a": {"b": {"x.y": 1}}}"#) }
    #expect(bad?.context.contains("\"/a/b\"") == true)
  }

  @Test(arguments: [
    ("null", "null"), ("1.0", "1.0"), ("1", "1"), ("1e300", "1e+300"), ("5e-324", "5e-324"), ("0.1", "0.1"),
    ("-9223372036854775808", "-9223372036854775808"), ("1e16", "1e+16"),
    (#""a\/\u0001\n\"\\é😀""#, #""a/\u0001\n\"\\é😀""#),
    (#"{"b":[1,{"c":true}],"10":"x","9":2}"#, #"{"9":2,"10":"x","b":{"0":1,"1":{"c":true}}}"#),
  ])
  func `JSON is written compactly`(text: String, written: String) throws {
    #expect(try Value(json: text).json() == written)
    #expect(try Value(json: written) == Value(json: text))
  }

  @Test func `JSON is written with two spaces a level`() {
    let value: Value = ["a": 1, "b": ["c": "d", "e": .null]]
    #expect(value.json(pretty: true) == "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": \"d\"\n  }\n}")
  }

  @Test func `arrays and empty containers can be written piece by piece`() {
    for (pretty, expected) in [
      (false, #"{"a":[1,{},[]],"b":null}"#), (true, "{\n  \"a\": [\n    1,\n    {},\n    []\n  ],\n  \"b\": null\n}"),
    ] {
      var writer = JSONWriter(pretty: pretty)
      var bytes: [UInt8] = []
      writer.beginObject()
      writer.key("a")
      writer.beginArray()
      bytes += writer.take()
      writer.int(1)
      writer.beginObject()
      writer.endObject()
      bytes += writer.take()
      writer.beginArray()
      writer.endArray()
      writer.endArray()
      writer.key("b")
      writer.null()
      writer.endObject()
      #expect(String(decoding: bytes + writer.take(), as: UTF8.self) == expected)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `every double is read back as it was written`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<2_000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite, value != 0 else { continue }
      #expect(try Value(json: Value.double(value).json()) == .double(value))
      let short = Double(Int.random(in: -99_999...99_999, using: &random)) / 1_000
      #expect(try Value(json: Value.double(short).json()) == .double(short == 0 ? 0 : short))
    }
  }
}
