extension Key: Comparable {
  /// Firebase's order: keys that are 32-bit integers first, by number, then by length; others by UTF-16 code units.
  /// - Complexity: O(length).
  public static func < (left: Key, right: Key) -> Bool {
    switch (left.integer, right.integer) {
    case (let a?, let b?):
      if a != b { return a < b }
      if left.text.utf8.count != right.text.utf8.count { return left.text.utf8.count < right.text.utf8.count }
    case (_?, nil): return true
    case (nil, _?): return false
    case (nil, nil): break
    }
    return UTF8Text.compare(left.text, right.text) == .ascending
  }

  /// The number that orders the key, if it is one: digits after an optional minus, within 32 bits.
  var integer: Int32? { text.withUTF8Span { Key.integer(in: $0, from: 0, to: $0.count) } }

  /// The integer that `bytes[start..<end]` spell, if they are an integer-like key.
  @inline(__always)
  static func integer(in bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Int32? {
    guard start < end else { return nil }
    let isNegative = bytes[start] == UInt8(ascii: "-")
    var index = isNegative ? start + 1 : start
    guard index < end else { return nil }
    var magnitude: Int64 = 0
    while index < end {
      let digit = bytes[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      magnitude = magnitude * 10 + Int64(digit)
      if magnitude > 1 << 31 { return nil }
      index += 1
    }
    return Int32(exactly: isNegative ? -magnitude : magnitude)
  }
}
