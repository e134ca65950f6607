/// A value while an expression is evaluated. Making one takes no memory, unless a text is made anew.
enum RuleValue {
  case null
  case bool(Bool)
  case int(Int64)
  /// Always finite.
  case double(Double)
  case text(RuleText)
  /// A node with children, or `auth`.
  case tree
  case snapshot(RuleSnapshot)

  init(_ scalar: Scalar) {
    self =
      switch scalar {
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .string(let text): .text(.string(text))
      }
  }
}

/// What a change puts at a path and below it.
struct RuleSnapshot {
  /// An operation whose path begins with the snapshot's.
  var base: Int32
  /// How many bytes of that path are the snapshot's.
  var end: Int32
  /// The puts at the path and below it, by their places among the operations.
  var low: Int32
  var high: Int32
  /// Levels below that path of a child that is not there.
  var missing: Int32 = 0

  var exists: Bool { low < high }
}

/// A text: somebody's string, or a part of bytes that lie elsewhere.
enum RuleText {
  case string(String)
  case bytes([UInt8], from: Int, to: Int)

  init(_ bytes: [UInt8]) { self = .bytes(bytes, from: 0, to: bytes.count) }

  var count: Int {
    switch self {
    case .string(let text): text.utf8.count
    case .bytes(_, let from, let to): to - from
    }
  }

  @inline(__always)
  func withSpan<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result {
    switch self {
    case .string(let text): text.withUTF8Span(body)
    case .bytes(let bytes, let from, let to): body(bytes.span.extracting(from..<to))
    }
  }

  func append(to bytes: inout [UInt8]) {
    switch self {
    case .string(let text): bytes.append(contentsOf: text.utf8)
    case .bytes(let more, let from, let to): bytes.append(contentsOf: more[from..<to])
    }
  }

  static func areEqual(_ left: RuleText, _ right: RuleText) -> Bool {
    guard left.count == right.count else { return false }
    return left.withSpan { a in right.withSpan { b in UTF8Text.commonPrefix(a, b) == a.count } }
  }

  /// UTF-16 units: one for each character, two for one beyond the basic plane.
  var length: Int { withSpan { UTF8Text.utf16Count($0) } }

  func starts(with other: RuleText) -> Bool {
    withSpan { text in other.withSpan { UTF8Text.commonPrefix(text, $0) == $0.count } }
  }

  func ends(with other: RuleText) -> Bool {
    guard other.count <= count else { return false }
    return withSpan { text in
      other.withSpan { UTF8Text.commonPrefix(text.extracting(last: $0.count), $0) == $0.count }
    }
  }

  /// Letters of ASCII in one case.
  func cased(isUpper: Bool) -> RuleText {
    let first = UInt8(ascii: isUpper ? "a" : "A")
    var bytes: [UInt8] = []
    append(to: &bytes)
    for index in bytes.indices where bytes[index] &- first < 26 { bytes[index] ^= 0x20 }
    return RuleText(bytes)
  }

  /// Where `other`, which is not empty, stands: places do not overlap. No more of them than `limit`.
  ///
  /// Knuth, Morris and Pratt: each byte is looked at once or twice, whatever the texts.
  func places(of other: RuleText, limit: Int = .max) -> [Int] {
    withSpan { text in other.withSpan { RuleText.places(of: $0, in: text, limit) } }
  }

  private static func places(
    of needle: borrowing Span<UInt8>, in text: borrowing Span<UInt8>, _ limit: Int
  ) -> [Int] {
    var places: [Int] = []
    guard needle.count <= text.count else { return places }
    // For each length of a beginning of the needle, the longest shorter one that it ends with.
    var shorter = [Int32](repeating: 0, count: needle.count)
    var matched = 0
    for index in needle.indices.dropFirst() {
      while matched > 0, needle[index] != needle[matched] { matched = Int(shorter[matched - 1]) }
      if needle[index] == needle[matched] { matched += 1 }
      shorter[index] = Int32(matched)
    }
    matched = 0
    for index in text.indices {
      while matched > 0, text[index] != needle[matched] { matched = Int(shorter[matched - 1]) }
      if text[index] == needle[matched] { matched += 1 }
      guard matched == needle.count else { continue }
      places.append(index + 1 - matched)
      if places.count == limit { return places }
      matched = 0
    }
    return places
  }
}

extension UTF8Text {
  /// UTF-16 units of a text: each byte that begins a character is one, and one that begins four bytes is two.
  ///
  /// Eight bytes at a time: a byte that goes on is 10xxxxxx, one that begins four is 1111xxxx.
  static func utf16Count(_ bytes: borrowing Span<UInt8>) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var (index, count) = (0, 0)
    while index + 8 <= bytes.count {
      let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
      index += 8
      count += 8
      if word & ones << 7 == 0 { continue }
      let high = word >> 7
      let goesOn = high & ~(word >> 6) & ones
      let beginsFour = high & word >> 6 & word >> 5 & word >> 4 & ones
      count += beginsFour.nonzeroBitCount - goesOn.nonzeroBitCount
    }
    while index < bytes.count {
      count += (bytes[index] & 0xC0 != 0x80 ? 1 : 0) + (bytes[index] >= 0xF0 ? 1 : 0)
      index += 1
    }
    return count
  }
}
