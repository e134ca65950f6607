extension PathKey {
  /// Parses the canonical text of a path, "a/b/c", as it stands in formats; the empty text is the root.
  ///
  /// One pass over the bytes, without strings.
  /// - Throws: `damaged` for an empty key, a character that keys cannot have or bad UTF-8; `limitExceeded` for a path
  ///   that is well formed, and too long or too deep.
  package init(validating text: ArraySlice<UInt8>) throws(TreeError) {
    let span = text.span
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count + PathKey.integerSize)
    var levels = 0
    var index = 0
    while index < span.count {
      if levels > 0 { index += 1 }
      index = try PathKey.appendKey(of: span, from: index, to: &bytes)
      levels += 1
    }
    try Path.check(bytes: levels == 0 ? 0 : text.count + 1, levels: levels)
    self.init(trusted: bytes)
  }

  package init(validating text: [UInt8]) throws(TreeError) { try self.init(validating: text[...]) }

  /// Appends the key that starts at `start`, and returns where it ends.
  @inline(__always)
  private static func appendKey(
    of text: borrowing Span<UInt8>, from start: Int, to bytes: inout [UInt8]
  ) throws(TreeError) -> Int {
    let mark = bytes.count
    bytes.append(textMark)
    var index = start
    while index < text.count, text[index] != UInt8(ascii: "/") {
      let byte = text[index]
      if byte < 0x80 {
        guard Key.allows(byte) else { throw damaged(text, "a character that keys cannot have") }
        bytes.append(byte)
        index += 1
        continue
      }
      let length = UTF8Text.sequenceLength(in: text, at: index)
      guard length > 0 else { throw damaged(text, "bytes that are not UTF-8") }
      bytes.append(UTF8Text.ordered(byte))
      for offset in 1..<length { bytes.append(text[index + offset]) }
      index += length
    }
    guard index > start else { throw damaged(text, "an empty key") }
    if let value = Key.integer(in: text, from: start, to: index) {
      bytes.removeLast(bytes.count - mark)
      appendInteger(value, length: index - start, isNegative: text[start] == UInt8(ascii: "-"), to: &bytes)
    } else {
      bytes.append(end)
    }
    return index
  }

  private static func damaged(_ text: borrowing Span<UInt8>, _ problem: String) -> TreeError {
    let bytes = text.indices.map { text[$0] }
    return TreeError(.damaged, "the path \"\(UTF8Text.excerpt(bytes))\" holds \(problem)")
  }

  /// The canonical text, "a/b/c", as UTF-8; empty at the root.
  /// - Complexity: O(length).
  package var textBytes: [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var start = 0
    while start < bytes.count {
      if start > 0 { text.append(UInt8(ascii: "/")) }
      let end = componentEnd(from: start)
      appendText(of: start..<end, to: &text)
      start = end
    }
    return text
  }

  /// The UTF-8 bytes of the keys, separators not counted.
  var textLength: Int {
    var length = 0
    var start = 0
    while start < bytes.count {
      let end = componentEnd(from: start)
      let isInteger = bytes[start] == PathKey.integerMark && end - start == PathKey.integerSize
      length += isInteger ? Int(bytes[start + 5]) << 8 | Int(bytes[start + 6]) : end - start - 2
      start = end
    }
    return length
  }

  /// Appends the text of the key that `range` encodes.
  func appendText(of range: Range<Int>, to text: inout [UInt8]) {
    if bytes[range.lowerBound] == PathKey.fileMark { return text.append(contentsOf: PathKey.filesName.utf8) }
    guard bytes[range.lowerBound] == PathKey.integerMark, range.count == PathKey.integerSize else {
      let content = range.dropFirst().dropLast()
      let first = text.count
      text.append(contentsOf: bytes[content.startIndex..<content.endIndex])
      for index in first..<text.count where text[index] >= 0xFB { text[index] = UTF8Text.unordered(text[index]) }
      return
    }
    unsafe PathKey.appendInteger(of: bytes.span.extracting(range).bytes, to: &text)
  }

  /// Appends the text of an integer's eight bytes.
  static func appendInteger(of component: RawSpan, to text: inout [UInt8]) {
    precondition(component.byteCount == integerSize)
    let biased = unsafe UInt32(bigEndian: component.unsafeLoadUnaligned(fromByteOffset: 1, as: UInt32.self))
    let length = unsafe Int(UInt16(bigEndian: component.unsafeLoadUnaligned(fromByteOffset: 5, as: UInt16.self)))
    let isNegative = unsafe component.unsafeLoad(fromByteOffset: 7, as: UInt8.self) == 0
    let digits = String(Int32(bitPattern: biased ^ 0x8000_0000).magnitude).utf8
    if isNegative { text.append(UInt8(ascii: "-")) }
    let zeros = length - digits.count - (isNegative ? 1 : 0)
    if zeros > 0 { text.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: zeros)) }
    text.append(contentsOf: digits)
  }
}
