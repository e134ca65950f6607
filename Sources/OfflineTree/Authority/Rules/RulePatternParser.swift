/// Reads the text of a pattern, which is UTF-8.
struct RulePatternParser {
  typealias Tree = RulePattern.Tree
  typealias Fault = RulePattern.Fault

  private let bytes: [UInt8]
  let ignoresCase: Bool
  private(set) var index = 0
  private var depth = 0
  var sets: [RulePattern.Characters] = []

  init(_ bytes: [UInt8], ignoresCase: Bool) {
    self.bytes = bytes
    self.ignoresCase = ignoresCase
  }

  mutating func pattern() throws(Fault) -> Tree {
    let tree = try choice()
    guard index == bytes.count else { throw fault("a ) without its (", advice: "Write \\) for the character.") }
    return tree
  }

  func fault(_ problem: String, at offset: Int? = nil, advice: String = "") -> Fault {
    Fault(problem: problem, offset: offset ?? index, advice: advice)
  }

  // MARK: Characters

  /// The byte at the cursor, 0 at the end: a pattern may hold a 0, which is no sign of anything either.
  private var byte: UInt8 { index < bytes.count ? bytes[index] : 0 }

  private func stands(_ character: Unicode.Scalar, at offset: Int = 0) -> Bool {
    index + offset < bytes.count && bytes[index + offset] == UInt8(ascii: character)
  }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard stands(character) else { return false }
    index += 1
    return true
  }

  var isAtEnd: Bool { index == bytes.count }

  func isNext(_ character: Unicode.Scalar) -> Bool { stands(character) }

  func isAfterNext(_ character: Unicode.Scalar) -> Bool { stands(character, at: 1) }

  mutating func scalar() -> UInt32 {
    let (scalar, length) = RulePattern.scalar(in: bytes.span, at: index)
    index += length
    return scalar
  }

  /// So many hexadecimal digits.
  mutating func hexadecimal(_ count: Int) throws(Fault) -> UInt32 {
    guard index + count <= bytes.count,
      bytes[index..<index + count].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let value = UInt32(String(decoding: bytes[index..<index + count], as: UTF8.self), radix: 16),
      Unicode.Scalar(value) != nil
    else { throw fault("expected \(count) hexadecimal digits of a character") }
    index += count
    return value
  }

  // MARK: Parts

  private mutating func choice() throws(Fault) -> Tree {
    var parts = [try sequence()]
    while take("|") { parts.append(try sequence()) }
    return parts.count == 1 ? parts[0] : .choice(parts)
  }

  private mutating func sequence() throws(Fault) -> Tree {
    var parts: [Tree] = []
    while !isAtEnd, !stands("|"), !stands(")") {
      let place = index
      let (part, isRepeatable) = try part()
      parts.append(try repeated(part, isRepeatable, from: place))
    }
    return parts.isEmpty ? .empty : parts.count == 1 ? parts[0] : .sequence(parts)
  }

  private mutating func part() throws(Fault) -> (Tree, isRepeatable: Bool) {
    let place = index
    switch byte {
    case UInt8(ascii: "("): return (try group(), true)
    case UInt8(ascii: "["):
      index += 1
      return (try characterClass(from: place), true)
    case UInt8(ascii: "\\"):
      index += 1
      return try escape(from: place)
    case UInt8(ascii: "."):
      index += 1
      return (.step(.any, 0), true)
    case UInt8(ascii: "^"):
      index += 1
      return (.step(.textStart, 0), false)
    case UInt8(ascii: "$"):
      index += 1
      return (.step(.textEnd, 0), false)
    case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"), UInt8(ascii: "{"):
      throw fault("nothing stands before \(Character(Unicode.Scalar(byte))) to repeat", advice: "Write a \\ before it.")
    default: return (character(scalar()), true)
    }
  }

  /// A part that takes just this character, in both cases if case is ignored.
  func character(_ scalar: UInt32) -> Tree {
    guard ignoresCase, scalar < 128, RuleLexer.isLetter(UInt8(scalar)) else {
      return .step(.character, Int32(bitPattern: scalar))
    }
    return .choice([.step(.character, Int32(scalar | 0x20)), .step(.character, Int32(scalar & ~0x20))])
  }

  private mutating func group() throws(Fault) -> Tree {
    let place = index
    index += 1
    if stands("?") {
      guard stands(":", at: 1) else {
        let isLook = stands("=", at: 1) || stands("!", at: 1) || stands("<", at: 1)
        throw fault(
          isLook ? "looking ahead or behind is not possible" : "no such kind of group", at: place,
          advice: "Use ( ) or (?: ), and && between two matches().")
      }
      index += 2
    }
    guard depth < Limits.ruleNesting else { throw fault("more than \(Limits.ruleNesting) groups inside each other") }
    depth += 1
    let tree = try choice()
    depth -= 1
    guard take(")") else { throw fault("a ( without its )", at: place, advice: "Write \\( for the character.") }
    return tree
  }

  // MARK: Repeats

  private mutating func repeated(_ part: Tree, _ isRepeatable: Bool, from place: Int) throws(Fault) -> Tree {
    let sign = index
    guard let (least, most) = try count() else { return part }
    guard isRepeatable else { throw fault("a place in the text cannot be repeated", at: sign) }
    // As few as possible or as many: whether it matches is the same.
    _ = take("?")
    if stands("*") || stands("+") || stands("?") || stands("{") {
      throw fault("a repeat of a repeat", advice: "Put what is repeated into ( ).")
    }
    return .repeated(part, least: least, most: most)
  }

  private mutating func count() throws(Fault) -> (Int, Int?)? {
    if take("*") { return (0, nil) }
    if take("+") { return (1, nil) }
    if take("?") { return (0, 1) }
    let place = index
    guard take("{") else { return nil }
    let least = try number()
    if take("}") { return (least, least) }
    guard take(",") else { throw fault("expected , or } in a repeat", advice: "Write {2}, {2,} or {2,5}.") }
    if take("}") { return (least, nil) }
    let most = try number()
    guard take("}") else { throw fault("expected } in a repeat") }
    guard least <= most else { throw fault("a repeat from \(least) to \(most)", at: place) }
    return (least, most)
  }

  private mutating func number() throws(Fault) -> Int {
    let place = index
    var value = 0
    while !isAtEnd, RuleLexer.isDigit(byte) {
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
      guard value <= Limits.patternRepeats else {
        throw fault("a repeat counts beyond \(Limits.patternRepeats)", at: place, advice: "Ask for the .length.")
      }
      index += 1
    }
    guard index > place else { throw fault("expected a number in a repeat", advice: "Write \\{ for the character.") }
    return value
  }
}
