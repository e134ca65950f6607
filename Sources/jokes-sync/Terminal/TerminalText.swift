/// Makes what others wrote safe to print.
///
/// Control characters (C0, DEL, C1) could move the cursor or talk to the terminal, and bidirectional controls could
/// make a line read as another one. None of them passes.
enum TerminalText {
  /// One line: line breaks and tabs become spaces, other controls are dropped.
  static func line(_ text: String) -> String { clean(text, lineBreak: " ") }

  /// Several lines: line breaks stay.
  static func block(_ text: String) -> String { clean(text, lineBreak: "\n") }

  private static func clean(_ text: String, lineBreak: Unicode.Scalar) -> String {
    if text.unicodeScalars.allSatisfy({ !isDangerous($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n", "\u{85}", "\u{2028}", "\u{2029}": result.append(lineBreak)
      case "\t": result.append(" ")
      default: if !isDangerous(scalar) { result.append(scalar) }
      }
    }
    return String(result)
  }

  /// JSON text in which the same characters stand as `\u` escapes: it means what it meant.
  static func json(_ text: String) -> String {
    if text.unicodeScalars.allSatisfy({ $0 == "\n" || !isDangerous($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == "\n" || !isDangerous(scalar) {
        result.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        result.append(contentsOf: ("\\u" + String(repeating: "0", count: 4 - digits.count) + digits).unicodeScalars)
      }
    }
    return String(result)
  }

  private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
