extension JSONScanner {
  /// Reads the number at the cursor, which stands on a digit or a minus.
  mutating func scanNumber() throws(TreeError) -> Event {
    text.removeAll(keepingCapacity: true)
    while let byte = try peek(), JSONNumber.holds(byte) {
      guard text.count < JSONScanner.numberLimit else {
        throw failure("a number is longer than \(JSONScanner.numberLimit) bytes", .limitExceeded)
      }
      text.append(byte)
      index += 1
    }
    guard let number = JSONNumber(text.span) else { throw failure("\"\(string)\" is not a number") }
    if number.isInteger, let value = number.integer { return .int(value) }
    let value = number.smallDouble ?? Double(string) ?? .infinity
    guard value.isFinite else { throw failure("\(UTF8Text.excerpt(text)) is too large for a number") }
    return .double(value == 0 ? 0 : value)
  }
}

/// A number of JSON's grammar, taken apart.
private struct JSONNumber {
  private var isNegative = false
  /// All digits as one number, while they fit.
  private var digits: UInt64 = 0
  private var digitsFit = true
  /// What power of ten `digits` are to be multiplied by.
  private var exponent = 0
  private(set) var isInteger = true

  static func holds(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."),
      UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// Nil for what the grammar does not allow.
  init?(_ text: borrowing Span<UInt8>) {
    var index = 0
    if text[0] == UInt8(ascii: "-") {
      isNegative = true
      index = 1
    }
    let start = index
    index = takeDigits(text, from: index)
    let count = index - start
    if count == 0 || (count > 1 && text[start] == UInt8(ascii: "0")) { return nil }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      isInteger = false
      let point = index + 1
      index = takeDigits(text, from: point)
      if index == point { return nil }
      exponent = point - index
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      isInteger = false
      guard let end = takeExponent(text, from: index + 1) else { return nil }
      index = end
    }
    if index < text.count { return nil }
  }

  private mutating func takeDigits(_ text: borrowing Span<UInt8>, from start: Int) -> Int {
    var index = start
    while index < text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      let (tens, first) = digits.multipliedReportingOverflow(by: 10)
      let (sum, second) = tens.addingReportingOverflow(UInt64(digit))
      if first || second { digitsFit = false }
      digits = sum
      index += 1
    }
    return index
  }

  private mutating func takeExponent(_ text: borrowing Span<UInt8>, from start: Int) -> Int? {
    guard start < text.count else { return nil }
    let isNegative = text[start] == UInt8(ascii: "-")
    let first = isNegative || text[start] == UInt8(ascii: "+") ? start + 1 : start
    var index = first
    var value = 0
    while index < text.count {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      value = min(value * 10 + Int(digit), 1_000_000)
      index += 1
    }
    exponent += isNegative ? -value : value
    return index > first ? index : nil
  }

  /// The number as an integer of 64 bits, if it has no point and no exponent and fits.
  var integer: Int64? {
    guard isInteger, digitsFit else { return nil }
    if isNegative, digits == 1 << 63 { return .min }
    return Int64(exactly: digits).map { isNegative ? -$0 : $0 }
  }

  /// The number as a double where one multiplication or division gives it exactly rounded: both operands are exact.
  var smallDouble: Double? {
    guard digitsFit, digits <= 1 << 53, abs(exponent) < JSONNumber.powersOfTen.count else { return nil }
    let power = JSONNumber.powersOfTen[abs(exponent)]
    let value = exponent < 0 ? Double(digits) / power : Double(digits) * power
    return isNegative ? -value : value
  }

  /// Those that a double holds exactly.
  private static let powersOfTen: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
  ]
}
