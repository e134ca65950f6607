/// Crockford's base 32: digits that people can read aloud and type, with a check digit.
package enum CrockfordBase32 {
  /// The first 32 are digits; the others stand only for the check.
  private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ*~$=U".utf8)

  /// The first `count` groups of five bits, as digits.
  package static func encode(_ bytes: [UInt8], count: Int) -> [UInt8] {
    (0..<count).map { place in
      let (byte, offset) = (place * 5 / 8, place * 5 % 8)
      let pair = UInt16(bytes[byte]) << 8 | (byte + 1 < bytes.count ? UInt16(bytes[byte + 1]) : 0)
      return digits[Int(pair >> UInt16(11 - offset) & 31)]
    }
  }

  /// The digit that follows `text`: the number that it spells, modulo 37. Nil if there is anything but digits.
  package static func check(_ text: some Sequence<UInt8>) -> UInt8? {
    var rest = 0
    for character in text {
      guard let value = value(of: character) else { return nil }
      rest = (rest * 32 + Int(value)) % digits.count
    }
    return digits[rest]
  }

  /// The bytes that so many digits need, the last one filled up with zeros. Nil if there is anything but digits.
  package static func decode(_ text: [UInt8]) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: (text.count * 5 + 7) / 8)
    for (place, character) in text.enumerated() {
      guard let value = value(of: character) else { return nil }
      for bit in 0..<5 where value >> UInt8(4 - bit) & 1 == 1 {
        let index = place * 5 + bit
        bytes[index / 8] |= 0x80 >> UInt8(index % 8)
      }
    }
    return bytes
  }

  package static func value(of character: UInt8) -> UInt8? {
    let digit = canonical(character)
    return digits[..<32].firstIndex(of: digit).map { UInt8($0) }
  }

  /// Upper case, and what looks alike as the digit that it is taken for.
  package static func canonical(_ character: UInt8) -> UInt8 {
    let isLower = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character)
    switch isLower ? character - 32 : character {
    case UInt8(ascii: "O"): return UInt8(ascii: "0")
    case UInt8(ascii: "I"), UInt8(ascii: "L"): return UInt8(ascii: "1")
    case let upper: return upper
    }
  }
}
