/// Text from outside without the characters that play tricks on a terminal: controls, line breaks, changes of direction.
func printable(_ text: String) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    let isTrick =
      switch scalar.value {
      case 0x00..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    if isTrick { result.append("?") } else { result.unicodeScalars.append(scalar) }
  }
  return result
}
