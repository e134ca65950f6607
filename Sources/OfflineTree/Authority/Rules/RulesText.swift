/// A place in a rules document, both counted from 1. Columns are bytes, as in the errors of JSON.
package struct RulePlace: Sendable, Equatable {
  package let line: Int
  package let column: Int
}

/// The bytes of a rules document as somebody wrote them, and where things are in them.
struct RulesText {
  let bytes: [UInt8]
  /// Where the lines begin.
  private let lines: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    lines = [0] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
  }

  func place(at offset: Int) -> RulePlace {
    var (low, high) = (0, lines.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if lines[middle] <= offset { low = middle } else { high = middle }
    }
    return RulePlace(line: low + 1, column: offset - lines[low] + 1)
  }

  func error(
    _ problem: String, at offset: Int, advice: String = "", _ code: TreeError.Code = .invalidArgument
  ) -> TreeError {
    let place = place(at: offset)
    return TreeError(code, "line \(place.line), column \(place.column): \(problem)", advice: advice)
  }

  /// The same text as JSON: comments are blank, and so are line breaks and tabs in strings. Nothing moves.
  func blanked() throws(TreeError) -> [UInt8] {
    var result = bytes
    var index = 0
    while index < bytes.count {
      switch (bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0) {
      case (UInt8(ascii: "\""), _): index = blankString(from: index, in: &result)
      case (UInt8(ascii: "/"), UInt8(ascii: "/")):
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") {
          result[index] = UInt8(ascii: " ")
          index += 1
        }
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): index = try blankComment(from: index, in: &result)
      default: index += 1
      }
    }
    return result
  }

  /// Returns where the string ends that begins at `start`.
  private func blankString(from start: Int, in result: inout [UInt8]) -> Int {
    var index = start + 1
    while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
      if bytes[index] == UInt8(ascii: "\\") { index += 1 }
      if index < bytes.count, bytes[index] < 0x20 { result[index] = UInt8(ascii: " ") }
      index += 1
    }
    return index + 1
  }

  private func blankComment(from start: Int, in result: inout [UInt8]) throws(TreeError) -> Int {
    var end = start + 2
    while end + 1 < bytes.count, bytes[end] != UInt8(ascii: "*") || bytes[end + 1] != UInt8(ascii: "/") { end += 1 }
    guard end + 1 < bytes.count else { throw error("a comment has no end", at: start, advice: "Close it with */.") }
    for index in start..<end + 2 where bytes[index] != UInt8(ascii: "\n") { result[index] = UInt8(ascii: " ") }
    return end + 2
  }
}

/// The text of one expression, which a string of the document spells.
struct RuleExpressionText {
  let document: RulesText
  /// The string's text, escapes undone.
  let bytes: [UInt8]
  /// Where in the document its first byte is.
  let start: Int

  /// Where in the document the byte `offset` of the expression comes from.
  func documentOffset(of offset: Int) -> Int {
    var (place, count) = (start, 0)
    let source = document.bytes
    while place < source.count, count < offset {
      guard source[place] == UInt8(ascii: "\\"), place + 1 < source.count else {
        (place, count) = (place + 1, count + 1)
        continue
      }
      guard source[place + 1] == UInt8(ascii: "u") else {
        (place, count) = (place + 2, count + 1)
        continue
      }
      // As many bytes as the character has in UTF-8; one beyond the basic plane is two escapes.
      let length = count < bytes.count ? max(1, UTF8Text.sequenceLength(in: bytes.span, at: count)) : 1
      (place, count) = (place + (length == 4 ? 12 : 6), count + length)
    }
    return place
  }

  func error(_ problem: String, at offset: Int, advice: String = "") -> TreeError {
    document.error(problem, at: documentOffset(of: offset), advice: advice)
  }
}
