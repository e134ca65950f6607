extension Key: Comparable {
  /// Firebase's order: keys that are 32-bit integers first, by number, then by length; others by UTF-16 code units.
  /// - Complexity: O(length).
  public static func < (left: Key, right: Key) -> Bool {
    left.text.withUTF8Span { a in right.text.withUTF8Span { b in precedes(a, b) } }
  }

  private static func precedes(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Bool {
    switch (integer(in: left, from: 0, to: left.count), integer(in: right, from: 0, to: right.count)) {
    case (let a?, let b?):
      if a != b { return a < b }
      if left.count != right.count { return left.count < right.count }
    case (_?, nil): return true
    case (nil, _?): return false
    case (nil, nil): break
    }
    return UTF8Text.compare(left, right) == .ascending
  }

  /// The number that `bytes[start..<end]` spell, if they are an integer-like key: digits after an optional minus, 32 bits.
  @inline(__always)
  static func integer(in bytes: borrowing Span<UInt8>, from start: Int, to end: Int) -> Int32? {
    guard start < end, bytes[start] <= UInt8(ascii: "9") else { return nil }
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
