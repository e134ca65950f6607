extension JSONScanner {
  /// Reads the string at the cursor, which stands on its quotation mark, into `text`.
  mutating func scanString() throws(TreeError) {
    index += 1
    text.removeAll(keepingCapacity: true)
    while true {
      let end = UTF8Text.plainEnd(in: window.span, from: index)
      text.append(contentsOf: window[index..<end])
      index = end
      guard text.count <= Limits.stringBytes else {
        throw failure("a string is longer than \(Limits.stringBytes) bytes", .limitExceeded)
      }
      switch try peek() {
      case UInt8(ascii: "\""):
        guard UTF8Text.isValid(text.span) else { throw failure("a string is not valid UTF-8") }
        index += 1
        return
      case UInt8(ascii: "\\"):
        index += 1
        try scanEscape()
      case nil: throw failure("the text ends inside a string")
      case let byte?:
        if byte < 0x20 { throw failure("a control character inside a string; write it as \\u00XX") }
      }
    }
  }

  private mutating func scanEscape() throws(TreeError) {
    let byte = try peek()
    index += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte ?? 0)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "u"): try scanUnicodeEscape()
    default:
      index -= 1
      throw failure("an escape that JSON does not have")
    }
  }

  private mutating func scanUnicodeEscape() throws(TreeError) {
    var code = try scanFourDigits()
    if (0xD800...0xDBFF).contains(code) {
      for expected in [UInt8(ascii: "\\"), UInt8(ascii: "u")] {
        guard try peek() == expected else { throw failure("half of a surrogate pair") }
        index += 1
      }
      let low = try scanFourDigits()
      guard (0xDC00...0xDFFF).contains(low) else { throw failure("half of a surrogate pair") }
      code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00))
    }
    guard let scalar = Unicode.Scalar(code) else { throw failure("half of a surrogate pair") }
    text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }

  private mutating func scanFourDigits() throws(TreeError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      guard let byte = try peek(), let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
        throw failure("\\u needs four hexadecimal digits")
      }
      code = code << 4 | UInt32(digit)
      index += 1
    }
    return code
  }
}
