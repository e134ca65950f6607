import TestSupport

extension SeededRandom {
  /// A text that is a valid key: digits with and without signs and zeros, ASCII, and all planes of Unicode.
  mutating func keyText() -> String {
    switch Int.random(in: 0..<6, using: &self) {
    case 0: return String(Int32.random(in: .min ... .max, using: &self))
    case 1:
      return String(repeating: "0", count: Int.random(in: 0..<14, using: &self))
        + "\(UInt8.random(in: 0...20, using: &self))"
    case 2:
      return "-" + String(repeating: "0", count: Int.random(in: 0..<3, using: &self))
        + "\(UInt8.random(in: 0...9, using: &self))"
    case 3: return String(Int64.random(in: -3_000_000_000...3_000_000_000, using: &self))
    case 4:
      let letters = Array("-0123456789AZ_az~ ")
      return String((0..<Int.random(in: 1...5, using: &self)).map { _ in letters.randomElement(using: &self) ?? "a" })
    default: return String(String.UnicodeScalarView((0..<Int.random(in: 1...3, using: &self)).map { _ in scalar() }))
    }
  }

  /// Scalars near the edges where UTF-8 and UTF-16 order differ.
  private mutating func scalar() -> Unicode.Scalar {
    let edges: [ClosedRange<UInt32>] = [
      0x80...0xFF, 0x7F0...0x810, 0xD780...0xD7FF, 0xE000...0xE010, 0xEFF0...0xF010, 0xFF00...0xFFFF, 0x10000...0x10010,
      0x1F600...0x1F60F, 0x10FFF0...0x10FFFF,
    ]
    let range = edges.randomElement(using: &self) ?? 0x80...0xFF
    return Unicode.Scalar(UInt32.random(in: range, using: &self)) ?? "x"
  }
}
