/// A word or sign of an expression.
enum RuleToken: Equatable {
  case end
  case number(Scalar)
  case text([UInt8])
  case name(String)
  /// With its `$`.
  case variable(String)
  case sign(RuleSign)
}

enum RuleSign: String, CaseIterable {
  // Longer signs first: the first that fits is taken.
  case identical = "==="
  case notIdentical = "!=="
  case equal = "=="
  case unequal = "!="
  case lessOrEqual = "<="
  case greaterOrEqual = ">="
  case and = "&&"
  case or = "||"
  case less = "<"
  case greater = ">"
  case plus = "+"
  case minus = "-"
  case times = "*"
  case slash = "/"
  case percent = "%"
  case not = "!"
  case question = "?"
  case colon = ":"
  case open = "("
  case close = ")"
  case openBracket = "["
  case closeBracket = "]"
  case dot = "."
  case comma = ","
}

/// Cuts an expression into tokens.
struct RuleLexer {
  let text: RuleExpressionText
  /// Where the token last taken begins, and where the next one is looked for.
  private(set) var start = 0
  private(set) var index = 0

  private var bytes: [UInt8] { text.bytes }

  init(_ text: RuleExpressionText) {
    self.text = text
  }

  static func isWord(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "_") }
  static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
  static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

  mutating func next() throws(TreeError) -> RuleToken {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    start = index
    guard index < bytes.count else { return .end }
    let byte = bytes[index]
    if RuleLexer.isDigit(byte) { return try number() }
    if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") { return .text(try string(byte)) }
    if RuleLexer.isWord(byte) { return .name(word()) }
    if byte == UInt8(ascii: "$") {
      index += 1
      return .variable("$" + word())
    }
    for sign in RuleSign.allCases where bytes[index...].starts(with: sign.rawValue.utf8) {
      index += sign.rawValue.utf8.count
      return .sign(sign)
    }
    let length = max(1, UTF8Text.sequenceLength(in: bytes.span, at: index))
    let character = String(decoding: bytes[index..<index + length], as: UTF8.self)
    let advice = character == "=" ? "Compare with ==." : character == "&" || character == "|" ? "Write && and ||." : ""
    throw text.error("\"\(character)\" is no part of an expression", at: index, advice: advice)
  }

  private mutating func word() -> String {
    let first = index
    while index < bytes.count, RuleLexer.isWord(bytes[index]) { index += 1 }
    return String(decoding: bytes[first..<index], as: UTF8.self)
  }

  private mutating func number() throws(TreeError) -> RuleToken {
    while index < bytes.count, RuleLexer.isWord(bytes[index]) || bytes[index] == UInt8(ascii: ".") || isExponentSign {
      index += 1
    }
    var scanner = JSONScanner(Array(bytes[start..<index]))
    if let event = try? scanner.next(), (try? scanner.next()) == .end {
      if case .int(let value) = event { return .number(.int(value)) }
      if case .double(let value) = event { return .number(.double(value)) }
    }
    throw text.error("\"\(UTF8Text.excerpt(bytes[start..<index]))\" is not a number", at: start)
  }

  private var isExponentSign: Bool {
    guard bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") else { return false }
    return bytes[index - 1] | 0x20 == UInt8(ascii: "e")
  }

  // MARK: Strings

  private mutating func string(_ quote: UInt8) throws(TreeError) -> [UInt8] {
    var result: [UInt8] = []
    index += 1
    while index < bytes.count, bytes[index] != quote {
      if bytes[index] == UInt8(ascii: "\\") {
        try appendEscape(to: &result)
      } else {
        result.append(bytes[index])
        index += 1
      }
    }
    guard index < bytes.count else { throw text.error("a string has no end", at: start) }
    index += 1
    return result
  }

  private mutating func appendEscape(to result: inout [UInt8]) throws(TreeError) {
    let place = index
    let byte = index + 1 < bytes.count ? bytes[index + 1] : 0
    index += 2
    switch byte {
    case UInt8(ascii: "'"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "u"):
      guard index + 4 <= bytes.count,
        bytes[index..<index + 4].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
        let code = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16),
        let scalar = Unicode.Scalar(code)
      else {
        throw text.error("\\u needs four hexadecimal digits of a character", at: place)
      }
      index += 4
      result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
    default: throw text.error("an escape that strings do not have", at: place, advice: "Write \\\\ for a backslash.")
    }
  }

  // MARK: Patterns

  /// Takes a pattern, `/…/` and its flags, that begins at `first`, where a slash is.
  mutating func pattern(from first: Int) throws(TreeError) -> RulePattern {
    index = first + 1
    var isInClass = false
    while index < bytes.count, isInClass || bytes[index] != UInt8(ascii: "/") {
      if bytes[index] == UInt8(ascii: "\\") {
        index += 1
      } else if bytes[index] == UInt8(ascii: "[") {
        isInClass = true
      } else if bytes[index] == UInt8(ascii: "]") {
        isInClass = false
      }
      index += 1
    }
    guard index < bytes.count else { throw text.error("a pattern has no end", at: first, advice: "End it with /.") }
    let body = first + 1..<index
    index += 1
    let flagsStart = index
    let flags = word()
    guard flags.isEmpty || flags == "i" else {
      throw text.error("a pattern has the flags \"\(flags)\"", at: flagsStart, advice: "There is one flag: i.")
    }
    do throws(RulePattern.Fault) {
      return try RulePattern(Array(bytes[body]), ignoresCase: !flags.isEmpty)
    } catch {
      throw text.error(error.problem, at: body.lowerBound + error.offset, advice: error.advice)
    }
  }
}
