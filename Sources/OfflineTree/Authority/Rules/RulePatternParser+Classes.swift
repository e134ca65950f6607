extension RulePatternParser {
  /// The rest of an escape whose backslash, at `place`, was taken.
  mutating func escape(from place: Int) throws(Fault) -> (Tree, isRepeatable: Bool) {
    guard !isAtEnd else { throw fault("a backslash at the end", at: place) }
    if take("b") { return (.step(.boundary, 0), false) }
    if take("B") { return (.step(.noBoundary, 0), false) }
    if let characters = named() { return (add(characters), true) }
    return (character(try escapedCharacter(from: place)), true)
  }

  private mutating func add(_ characters: RulePattern.Characters) -> Tree {
    sets.append(characters)
    return .step(.set, Int32(sets.count - 1))
  }

  /// `d`, `w`, `s` or their opposites, if one is at the cursor.
  private mutating func named() -> RulePattern.Characters? {
    var characters = RulePattern.Characters()
    for (name, opposite, members) in RulePatternParser.names {
      let isOpposite = isNext(opposite)
      guard isOpposite || isNext(name) else { continue }
      _ = scalar()
      for range in members { characters.insert(range) }
      if isOpposite { characters.invert() }
      return characters
    }
    return nil
  }

  private static let names: [(Unicode.Scalar, Unicode.Scalar, [ClosedRange<UInt32>])] = [
    ("d", "D", [0x30...0x39]),
    ("w", "W", [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]),
    ("s", "S", [0x09...0x0D, 0x20...0x20]),
  ]

  private mutating func escapedCharacter(from place: Int) throws(Fault) -> UInt32 {
    guard !isAtEnd else { throw fault("a backslash at the end", at: place) }
    let character = scalar()
    switch character {
    case 0x74: return 0x09
    case 0x6E: return 0x0A
    case 0x72: return 0x0D
    case 0x66: return 0x0C
    case 0x76: return 0x0B
    case 0x78: return try hexadecimal(2)
    case 0x75: return try hexadecimal(4)
    case 0x30...0x39:
      throw fault("a back reference is not possible", at: place, advice: "Write the characters out.")
    case 0x41...0x5A, 0x61...0x7A:
      throw fault("an escape that patterns do not have", at: place, advice: "Write \\\\ for a backslash.")
    default: return character
    }
  }

  /// The rest of a class whose `[`, at `place`, was taken.
  mutating func characterClass(from place: Int) throws(Fault) -> Tree {
    var characters = RulePattern.Characters()
    let isInverted = take("^")
    if isNext("]") { throw fault("a class without characters", at: place, advice: "Write \\] for the character.") }
    while !take("]") {
      guard !isAtEnd else { throw fault("a [ without its ]", at: place, advice: "Write \\[ for the character.") }
      try addMember(to: &characters)
    }
    if ignoresCase { characters.addOtherCases() }
    if isInverted { characters.invert() }
    return add(characters)
  }

  private mutating func addMember(to characters: inout RulePattern.Characters) throws(Fault) {
    let place = index
    guard let first = try classCharacter(&characters) else { return }
    guard isNext("-"), !isAfterNext("]") else { return characters.insert(first...first) }
    _ = take("-")
    var ignored = RulePattern.Characters()
    guard !isAtEnd, let last = try classCharacter(&ignored) else {
      throw fault("a range without its last character", at: place, advice: "Write \\- for the character.")
    }
    guard first <= last else { throw fault("a range that ends before it begins", at: place) }
    characters.insert(first...last)
  }

  /// A character of a class; nil for one like `\d`, which is added.
  private mutating func classCharacter(_ characters: inout RulePattern.Characters) throws(Fault) -> UInt32? {
    let place = index
    guard take("\\") else { return scalar() }
    if let named = named() {
      characters.formUnion(named)
      return nil
    }
    return try escapedCharacter(from: place)
  }
}

extension RulePattern.Characters {
  mutating func insert(_ range: ClosedRange<UInt32>) {
    var scalar = range.lowerBound
    while scalar <= range.upperBound, scalar < 128 {
      if scalar < 64 { low |= 1 << UInt64(scalar) } else { high |= 1 << UInt64(scalar & 63) }
      scalar += 1
    }
    if range.upperBound >= 128 { ranges.append(max(range.lowerBound, 128)...range.upperBound) }
  }

  /// The others beyond ASCII are all of them or none, as those that have a name are.
  mutating func formUnion(_ other: RulePattern.Characters) {
    low |= other.low
    high |= other.high
    if other.isNegated { ranges.append(128...0x10FFFF) }
  }

  mutating func invert() {
    (low, high, isNegated) = (~low, ~high, !isNegated)
  }

  /// Letters of ASCII: the upper ones are 32 below the lower ones.
  mutating func addOtherCases() {
    let letters: UInt64 = 0x07FF_FFFE
    let found = (high | high >> 32) & letters
    high |= found | found << 32
  }
}
