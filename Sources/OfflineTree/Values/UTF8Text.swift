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
        for index in a.indices where a[index] != b[index] { return false }
        return true
      }
    }
  }

  /// The order of the strings' UTF-16 code units.
  package static func compare(_ left: String, _ right: String) -> Comparison {
    left.withUTF8Span { a in
      right.withUTF8Span { b in
        for index in 0..<min(a.count, b.count) where a[index] != b[index] {
          return ordered(a[index]) < ordered(b[index]) ? .ascending : .descending
        }
        return a.count == b.count ? .same : a.count < b.count ? .ascending : .descending
      }
    }
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
      let length = sequenceLength(in: bytes, at: index)
      if length == 0 { return false }
      index += length
    }
    return true
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
