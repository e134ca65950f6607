/// The words of Swift source: identifiers and braces, without comments and texts; what is interpolated into a text counts.
struct SourceWords {
  private let bytes: [UInt8]
  private var index = 0
  private var words: [String] = []

  static func of(_ text: String) -> [String] {
    var scanner = SourceWords(bytes: Array(text.utf8))
    while scanner.index < scanner.bytes.count { scanner.step() }
    return scanner.words
  }

  /// Types declared at the top level of a file, those that only the file can name aside.
  static func declaredTypes(in words: [String]) -> [String] { types(in: words) { $0 == 0 } }

  /// Types declared inside others.
  static func innerTypes(in words: [String]) -> [String] { types(in: words) { $0 > 0 } }

  private static func types(in words: [String], where isWanted: (Int) -> Bool) -> [String] {
    let kinds: Set = ["struct", "class", "enum", "protocol", "actor", "typealias"]
    let modifiers: Set = ["public", "package", "internal", "private", "fileprivate", "final", "indirect", "open"]
    var types: [String] = []
    var depth = 0
    for (index, word) in words.enumerated() {
      if word == "{" { depth += 1 }
      if word == "}" { depth -= 1 }
      guard isWanted(depth), kinds.contains(word), index + 1 < words.count else { continue }
      let before = words[..<index].reversed().prefix { modifiers.contains($0) }
      if !before.contains("private"), !before.contains("fileprivate") { types.append(words[index + 1]) }
    }
    return types
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private func starts(_ text: StaticString, at index: Int) -> Bool {
    bytes[index...].starts(with: "\(text)".utf8)
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "_") || byte >= 0x80 || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private mutating func step() {
    let byte = bytes[index]
    if starts("//", at: index) {
      index = bytes[index...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    } else if starts("/*", at: index) {
      while index < bytes.count, !starts("*/", at: index) { index += 1 }
      index += 2
    } else if byte == UInt8(ascii: "\"") {
      skipText()
    } else if Self.isWord(byte) {
      let end = bytes[index...].firstIndex { !Self.isWord($0) } ?? bytes.count
      words.append(String(decoding: bytes[index..<end], as: UTF8.self))
      index = end
    } else {
      if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}") { words.append(byte == UInt8(ascii: "{") ? "{" : "}") }
      index += 1
    }
  }

  private mutating func skipText() {
    let isLong = starts("\"\"\"", at: index)
    index += isLong ? 3 : 1
    while index < bytes.count {
      if starts("\\(", at: index) {
        index += 2
        skipInterpolation()
      } else if bytes[index] == UInt8(ascii: "\\") {
        index += 2
      } else if isLong ? starts("\"\"\"", at: index) : bytes[index] == UInt8(ascii: "\"") {
        index += isLong ? 3 : 1
        return
      } else {
        index += 1
      }
    }
  }

  /// Takes the words up to the parenthesis that ends an interpolation.
  private mutating func skipInterpolation() {
    var depth = 1
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "(") { depth += 1 }
      if bytes[index] == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 {
        index += 1
        return
      }
      step()
    }
  }
}
