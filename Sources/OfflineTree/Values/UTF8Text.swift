/// How one value stands to another in an order that has ties.
package enum Comparison: Sendable {
  case ascending, same, descending
}

/// Text as UTF-8 bytes: equality, order and validity, without Swift's canonical equivalence.
package enum UTF8Text {
  /// Maps the lead bytes of U+E000–U+FFFF above those of the astral planes, which makes byte order UTF-16 order.
  @inline(__always)
  static func ordered(_ byte: UInt8) -> UInt8 {
    byte == 0xEE ? 0xFB : byte == 0xEF ? 0xFC : byte
  }

  /// Undoes `ordered`.
  @inline(__always)
  static func unordered(_ byte: UInt8) -> UInt8 {
    byte == 0xFB ? 0xEE : byte == 0xFC ? 0xEF : byte
  }

  /// Whether both strings have the same UTF-8 bytes.
  package static func areEqual(_ left: String, _ right: String) -> Bool {
    guard left.utf8.count == right.utf8.count else { return false }
    return left.withUTF8Span { a in
      right.withUTF8Span { b in
        commonPrefix(a, b) == a.count
      }
    }
  }

  /// The order of the strings' UTF-16 code units.
  package static func compare(_ left: String, _ right: String) -> Comparison {
    left.withUTF8Span { a in right.withUTF8Span { b in compare(a, b) } }
  }

  static func compare(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Comparison {
    let index = commonPrefix(left, right)
    if index < left.count, index < right.count {
      return ordered(left[index]) < ordered(right[index]) ? .ascending : .descending
    }
    return left.count == right.count ? .same : left.count < right.count ? .ascending : .descending
  }

  /// The length of the well-formed UTF-8 sequence at `index`, or 0 if there is none.
  @inline(__always)
  static func sequenceLength(in bytes: borrowing Span<UInt8>, at index: Int) -> Int {
    let lead = bytes[index]
    if lead < 0x80 { return 1 }
    let (length, second): (Int, ClosedRange<UInt8>) =
      switch lead {
      case 0xC2...0xDF: (2, 0x80...0xBF)
      case 0xE0: (3, 0xA0...0xBF)
      case 0xED: (3, 0x80...0x9F)
      case 0xE1...0xEF: (3, 0x80...0xBF)
      case 0xF0: (4, 0x90...0xBF)
      case 0xF1...0xF3: (4, 0x80...0xBF)
      case 0xF4: (4, 0x80...0x8F)
      default: (0, 0x80...0xBF)
      }
    guard length > 0, index + length <= bytes.count, second.contains(bytes[index + 1]) else { return 0 }
    for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 { return 0 }
    return length
  }

  /// Whether the bytes are well-formed UTF-8.
  package static func isValid(_ bytes: borrowing Span<UInt8>) -> Bool {
    var index = 0
    while index < bytes.count {
      if index + 8 <= bytes.count, word(bytes, at: index) & highBits == 0 {
        index += 8
        continue
      }
      let length = sequenceLength(in: bytes, at: index)
      if length == 0 { return false }
      index += length
    }
    return true
  }

  /// Where, from `start` on, the first byte stands that a JSON string escapes: a control character, `"` or `\`.
  ///
  /// Eight bytes at a time: in `(x − n) & ~x` the lowest high bit is that of the first byte of x below n.
  static func plainEnd(in bytes: borrowing Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index + 8 <= bytes.count {
      let word = word(bytes, at: index)
      let (quote, backslash) = (word ^ (0x22 * lowBits), word ^ (0x5C * lowBits))
      let hits =
        (word &- 0x20 * lowBits) & ~word | (quote &- lowBits) & ~quote | (backslash &- lowBits) & ~backslash
      if hits & highBits != 0 { return index + (hits & highBits).trailingZeroBitCount / 8 }
      index += 8
    }
    while index < bytes.count {
      let byte = bytes[index]
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { break }
      index += 1
    }
    return index
  }

  /// How many bytes are the same at the start of both.
  static func commonPrefix(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Int {
    let count = min(left.count, right.count)
    var index = 0
    while index + 8 <= count {
      let difference = word(left, at: index) ^ word(right, at: index)
      if difference != 0 { return index + difference.trailingZeroBitCount / 8 }
      index += 8
    }
    while index < count, left[index] == right[index] { index += 1 }
    return index
  }

  private static let lowBits: UInt64 = 0x0101_0101_0101_0101
  private static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Eight bytes from `index` on, which must be there, the first one lowest.
  @inline(__always)
  private static func word(_ bytes: borrowing Span<UInt8>, at index: Int) -> UInt64 {
    UInt64(littleEndian: unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Bytes from outside as they can stand in an error message: at most 80 of them, repaired.
  static func excerpt(_ bytes: some Collection<UInt8>) -> String {
    let text = String(decoding: bytes.prefix(80), as: UTF8.self)
    return bytes.count > 80 ? text + "…" : text
  }
}

extension String {
  /// Runs `body` over the UTF-8 bytes, in place where the string has them.
  @inline(__always)
  func withUTF8Span<Result>(_ body: (borrowing Span<UInt8>) -> Result) -> Result {
    let inPlace = unsafe utf8.withContiguousStorageIfAvailable { buffer in
      body(unsafe Span(_unsafeElements: buffer))
    }
    return inPlace ?? body(Array(utf8).span)
  }

  /// Feeds the UTF-8 bytes and their count to `hasher`.
  func hashUTF8(into hasher: inout Hasher) {
    withUTF8Span { bytes in
      hasher.combine(bytes.count)
      unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
    }
  }
}
