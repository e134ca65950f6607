/// Bytes as one number in base 62, digits 0–9, A–Z, a–z: how a user's id is written.
enum Base62 {
  private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  static func isDigit(_ byte: UInt8) -> Bool { digits.contains(byte) }

  /// The number that `bytes` are, big-endian, in `count` digits, the most significant first.
  static func encode(_ bytes: [UInt8], count: Int) -> String {
    var number = bytes
    var text = [UInt8](repeating: digits[0], count: count)
    for place in text.indices.reversed() {
      var rest = 0
      for index in number.indices {
        let value = rest << 8 | Int(number[index])
        number[index] = UInt8(value / 62)
        rest = value % 62
      }
      text[place] = digits[rest]
    }
    return String(decoding: text, as: UTF8.self)
  }
}
