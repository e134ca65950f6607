import OfflineTree
import Testing

struct ScalarTests {
  static let canonical: [(Scalar, [UInt8])] = [
    (.bool(false), [1]), (.bool(true), [2]), (.int(0), [3, 0]), (.int(-1), [3, 1]), (.int(64), [3, 0x80, 1]),
    (.int(.max), [3, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
    (.int(.min), [3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]),
    (.int(9_007_199_254_740_993), [3, 0x82, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]),
    (.double(1), [4, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F]), (.double(0), [4, 0, 0, 0, 0, 0, 0, 0, 0]),
    (.double(.greatestFiniteMagnitude), [4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xEF, 0x7F]),
    (.string(""), [5, 0]), (.string("é"), [5, 2, 0xC3, 0xA9]),
  ]

  @Test(arguments: canonical)
  func `a scalar has one form, and is read back from it`(scalar: Scalar, bytes: [UInt8]) throws {
    var writer = ByteWriter()
    scalar.encode(to: &writer)
    #expect(writer.bytes == bytes)
    var reader = ByteReader(bytes)
    #expect(try Scalar.decode(from: &reader) == scalar)
    #expect(reader.isAtEnd)
  }

  @Test(
    arguments: [
      [], [0], [6], [3], [3, 0x80, 0], [4, 0, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0, 0, 0x80],
      [4, 0, 0, 0, 0, 0, 0, 0xF0, 0x7F], [4, 0, 0, 0, 0, 0, 0, 0xF0, 0xFF], [4, 1, 0, 0, 0, 0, 0, 0xF8, 0x7F],
      [5, 2, 0x61], [5, 1, 0xFF], [5, 3, 0xED, 0xA0, 0x80], [5, 0x81, 0x80, 0x80, 5],
    ] as [[UInt8]])
  func `what is no scalar is damage`(bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    let error = #expect(throws: TreeError.self) { try Scalar.decode(from: &reader) }
    #expect(error?.code == .damaged)
  }

  @Test func `strings are taken up to 10 MiB, and decode beyond that for others to judge`() throws {
    for (count, fits) in [(Limits.stringBytes, true), (Limits.stringBytes + 1, false)] {
      let text = Scalar.string(String(repeating: "x", count: count))
      var writer = ByteWriter()
      text.encode(to: &writer)
      var reader = ByteReader(writer.bytes)
      #expect(try Scalar.decode(from: &reader) == text)
      #expect(((try? text.normalized()) == text) == fits)
    }
  }

  @Test func `numbers are finite and have one zero`() throws {
    #expect(try Scalar.number(-0.0) == .double(0))
    #expect(try Scalar.double(-0.0).normalized() == .double(0))
    for value in [Double.nan, .infinity, -.infinity] {
      #expect(throws: TreeError.self) { try Scalar.number(value) }
      #expect(throws: TreeError.self) { try Scalar.double(value).normalized() }
    }
  }

  @Test func `equality is of kind and bytes`() {
    #expect(Scalar.int(1) != .double(1))
    #expect(Scalar.bool(true) != .int(1))
    #expect(Scalar.string("\u{E9}") != .string("e\u{301}"))
    #expect(
      Set<Scalar>([.int(1), .double(1), .bool(true), .string("1"), .string("\u{E9}"), .string("e\u{301}")]).count == 6)
  }

  @Test func `values stand in Firebase's order`() {
    let steps: [[Scalar]] = [
      [.bool(false)], [.bool(true)], [.double(-.greatestFiniteMagnitude)], [.double(-0x1.0p63), .int(.min)], [.int(-1)],
      [.int(0), .double(0)], [.double(.leastNonzeroMagnitude)], [.double(0.5)], [.int(1), .double(1)],
      [.int(9_007_199_254_740_992), .double(9_007_199_254_740_992)], [.int(9_007_199_254_740_993)], [.int(.max)],
      [.double(0x1.0p63)], [.string("")], [.string("1")], [.string("a")], [.string("e\u{301}")], [.string("\u{E9}")],
      [.string("\u{10000}")], [.string("\u{E000}")],
    ]
    for (lower, left) in steps.enumerated() {
      for (upper, right) in steps.enumerated() {
        for a in left { for b in right { #expect((a < b) == (lower < upper), "\(a) and \(b)") } }
      }
    }
  }
}
