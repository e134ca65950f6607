import OfflineTree
import TestSupport
import Testing

struct JSONScannerTests {
  static func events(_ scanner: inout JSONScanner) throws -> [String] {
    var events: [String] = []
    while true {
      let event = try scanner.next()
      if event == .end { return events }
      events.append(event == .key || event == .string ? "\(event) \(scanner.string)" : "\(event)")
    }
  }

  /// A scanner that gets `size` bytes at a time.
  static func scanner(_ text: String, window size: Int) -> JSONScanner {
    let bytes = Array(text.utf8)
    var position = 0
    return JSONScanner { (window: inout [UInt8]) throws(TreeError) in
      let end = min(position + size, bytes.count)
      window.append(contentsOf: bytes[position..<end])
      position = end
    }
  }

  static let document =
    #" {"näme" : [ -12.5e+1, true,null, "a\uD83D\uDE00\n😀" ], "x":{"y":{}},"n":12345678901234567890} "#

  @Test(arguments: 1...17)
  func `the events are the same through every window`(size: Int) throws {
    var scanner = JSONScannerTests.scanner(JSONScannerTests.document, window: size)
    let events = try JSONScannerTests.events(&scanner)
    #expect(
      events == [
        "beginObject", "key näme", "beginArray", "double(-125.0)", "bool(true)", "null", "string a😀\n😀", "endArray",
        "key x",
        "beginObject", "key y", "beginObject", "endObject", "endObject", "key n", "double(1.2345678901234567e+19)",
        "endObject",
      ])
    #expect(scanner.offset == JSONScannerTests.document.utf8.count)
  }

  @Test(
    arguments: JSONTests.refused.filter {
      !$0.contains(".b\"") && !$0.hasPrefix("{\"\"") && !$0.contains("a/b") && !$0.contains("a\\u")
    })
  func `what is refused whole is refused byte by byte, with the same words`(text: String) {
    var whole = JSONScanner(Array(text.utf8))
    var pieces = JSONScannerTests.scanner(text, window: 1)
    let first = #expect(throws: TreeError.self) { try JSONScannerTests.events(&whole) }
    let second = #expect(throws: TreeError.self) { try JSONScannerTests.events(&pieces) }
    #expect(first == second)
  }

  @Test func `an error of the source comes through`() {
    let failure = TreeError(.inputOutput, "the disk is gone")
    var scanner = JSONScanner { (_: inout [UInt8]) throws(TreeError) in throw failure }
    let error = #expect(throws: TreeError.self) { try scanner.next() }
    #expect(error == failure)
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func `a text with accidents is refused, or is read as it is written again`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let signs = Array("{}[]\",:\\u0019eE+-. \ntrfn/\u{7F}é".utf8) + [0, 0xFF]
    var accepted = 0
    for _ in 0..<1_000 {
      var bytes = Array(JSONScannerTests.document.utf8)
      for _ in 0..<Int.random(in: 1...2, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = signs.randomElement(using: &random) ?? 0
      }
      guard let value = try? Value(json: bytes) else { continue }
      accepted += 1
      #expect(try Value(json: value.jsonBytes()) == value)
      #expect(try Value(json: value.jsonBytes(pretty: true)) == value)
    }
    #expect(accepted > 0)
  }

  @Test func `every cut of a text is refused`() {
    let text = JSONScannerTests.document.utf8.dropLast(2)
    for end in 0..<text.count {
      var scanner = JSONScanner(Array(text.prefix(end)))
      #expect(throws: TreeError.self) { try JSONScannerTests.events(&scanner) }
    }
  }
}
