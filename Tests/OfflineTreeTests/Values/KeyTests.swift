import OfflineTree
import TestSupport
import Testing

struct KeyTests {
  @Test(arguments: [
    "", ".test", "test.", "fo$o", "[what", "ever]", "ha#sh", "/thing", "th/ing", "thing/", "a\u{0}", "\u{1F}",
    "a\u{7F}b",
  ])
  func `what Firebase refuses is no key`(text: String) {
    let error = #expect(throws: TreeError.self) { try Key(text) }
    #expect(error?.code == .invalidArgument)
    #expect(throws: TreeError.self) { try Key(utf8: Array(text.utf8)) }
  }

  @Test(arguments: ["a", " ", "-", "日本語", "\u{80}", "a b", "😀", "\"'\\"])
  func `other text is a key and is read back`(text: String) throws {
    #expect(Array(try Key(text).text.utf8) == Array(text.utf8))
    #expect(try Key(utf8: Array(text.utf8)).utf8 == Array(text.utf8))
  }

  @Test func `of ASCII, control characters and six signs are forbidden`() {
    for byte in UInt8(0)..<0x80 {
      let isForbidden = byte < 0x20 || byte == 0x7F || ".#$[]/".utf8.contains(byte)
      #expect(((try? Key(utf8: [0x61, byte])) == nil) == isForbidden, "\(byte)")
    }
  }

  @Test func `768 bytes are a key and 769 are not`() throws {
    #expect(try Key(String(repeating: "x", count: 767)).utf8.count == 767)
    #expect(try Key(String(repeating: "é", count: 384)).utf8.count == 768)
    let error = #expect(throws: TreeError.self) { try Key(String(repeating: "x", count: 769)) }
    #expect(error?.code == .limitExceeded)
  }

  @Test(
    arguments: [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x61, 0x80],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are no key`(bytes: [UInt8]) {
    #expect(throws: TreeError.self) { try Key(utf8: bytes) }
  }

  @Test func `composed and decomposed forms are two keys`() throws {
    let (composed, decomposed) = (try Key("\u{E9}"), try Key("e\u{301}"))
    #expect(composed.text == decomposed.text)
    #expect(composed != decomposed)
    #expect(Set([composed, decomposed]).count == 2)
  }

  @Test(arguments: [
    [
      "-2147483648", "0", "1", "2", "10", "2147483647", "-2147483649", "-2147483650", "-a", "2147483648", "21474836480",
      "2147483649", "a",
    ],
    ["0", "3", "03", "003", "5", "9", "20", "100", "bar", "foo"],
    ["-0", "00", "000", "1", "-"],
    ["유주연", "윤규완오빠"],
    ["z", "\u{D7FF}", "\u{10000}", "\u{10FFFF}", "\u{E000}", "\u{FFFF}"],
  ])
  func `keys stand in Firebase's order`(texts: [String]) throws {
    let keys = try texts.map { text throws in try Key(text) }
    for (lower, left) in keys.enumerated() {
      for (upper, right) in keys.enumerated() {
        #expect((left < right) == (lower < upper))
        #expect((PathKey(try Path([left])) < PathKey(try Path([right]))) == (lower < upper))
      }
    }
  }

  /// The rule of firebase.md, written once more in the slowest way.
  static func precedes(_ left: String, _ right: String) -> Bool {
    func number(_ text: String) -> Int32? { text.hasPrefix("+") ? nil : Int32(text) }
    switch (number(left), number(right)) {
    case (let a?, let b?) where a != b: return a < b
    case (_?, _?) where left.utf8.count != right.utf8.count: return left.utf8.count < right.utf8.count
    case (_?, nil): return true
    case (nil, _?): return false
    default: return Array(left.utf16).lexicographicallyPrecedes(Array(right.utf16))
    }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `the order of keys, of path keys and of the rule is one`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<1_000 {
      let (left, right) = (random.keyText(), random.keyText())
      let (a, b) = (try Key(left), try Key(right))
      let expected = KeyTests.precedes(left, right)
      #expect((a < b) == expected, "\(left) and \(right)")
      #expect((PathKey(try Path([a])) < PathKey(try Path([b]))) == expected, "\(left) and \(right)")
    }
  }
}
