/// A path in the form that orders tables: byte order is Firebase's order, a subtree is the range of one prefix.
///
/// ```
/// key that is an integer   0x02 ‖ value + 2^31, u32 big-endian ‖ bytes of text, u16 big-endian ‖ 0 if it starts with "-", else 1
/// any other key            0x03 ‖ UTF-8, lead bytes 0xEE as 0xFB and 0xEF as 0xFC ‖ 0x01
/// ```
/// The keys of a path follow each other; the root is empty.
package struct PathKey: Sendable {
  package let bytes: [UInt8]

  static let integerMark: UInt8 = 0x02
  static let textMark: UInt8 = 0x03
  static let end: UInt8 = 0x01
  static let integerSize = 8

  /// More bytes than any path key has: two for each level beyond those of the text, or eight for each integer.
  package static let byteLimit = Limits.pathBytes + Limits.pathLevels * integerSize

  package static let root = PathKey(trusted: [])

  /// For bytes that were made by a path key: a row's key, a prefix at one of `componentEnds`.
  package init(trusted bytes: [UInt8]) {
    self.bytes = bytes
  }

  package init(trusted bytes: ArraySlice<UInt8>) {
    self.bytes = Array(bytes)
  }

  /// Bytes that should be a path key and may be anything.
  /// - Throws: `damaged` if they are not the encoding of a path.
  package init(encoded bytes: [UInt8]) throws(TreeError) {
    if bytes.first == PathKey.fileMark, bytes.count <= PathKey.byteLimit {
      let candidate = FileName(trusted: PathKey(trusted: bytes))
      if bytes.starts(with: FileName.root.bytes), candidate.key.textLength <= Limits.pathBytes,
        let again = try? FileName(validating: candidate.textBytes[...]), again == candidate
      {
        self = again.key
        return
      }
    }
    let candidate = PathKey(trusted: bytes)
    // The length of an integer's text is two of its bytes: it is not written out before it is known to fit.
    guard bytes.count <= PathKey.byteLimit, candidate.textLength <= Limits.pathBytes,
      let again = try? PathKey(validating: candidate.textBytes),
      again == candidate
    else {
      throw TreeError(.damaged, "a path key is not well formed: \(hexadecimal(bytes.prefix(80)))")
    }
    self = again
  }

  package init(_ path: Path) {
    var bytes: [UInt8] = []
    for key in path.keys { PathKey.append(key, to: &bytes) }
    self.bytes = bytes
  }

  static func append(_ key: Key, to bytes: inout [UInt8]) {
    key.text.withUTF8Span { text in
      if let value = Key.integer(in: text, from: 0, to: text.count) {
        appendInteger(value, length: text.count, isNegative: text[0] == UInt8(ascii: "-"), to: &bytes)
        return
      }
      bytes.append(textMark)
      for index in text.indices { bytes.append(UTF8Text.ordered(text[index])) }
      bytes.append(end)
    }
  }

  static func appendInteger(_ value: Int32, length: Int, isNegative: Bool, to bytes: inout [UInt8]) {
    let biased = UInt32(bitPattern: value) ^ 0x8000_0000
    bytes.append(integerMark)
    bytes.append(UInt8(truncatingIfNeeded: biased >> 24))
    bytes.append(UInt8(truncatingIfNeeded: biased >> 16))
    bytes.append(UInt8(truncatingIfNeeded: biased >> 8))
    bytes.append(UInt8(truncatingIfNeeded: biased))
    bytes.append(UInt8(truncatingIfNeeded: length >> 8))
    bytes.append(UInt8(truncatingIfNeeded: length))
    bytes.append(isNegative ? 0 : 1)
  }

  /// - Throws: `limitExceeded` if the child would be too long or too deep.
  package func child(_ key: Key) throws(TreeError) -> PathKey {
    try Path.check(bytes: textLength + levels + 1 + key.text.utf8.count, levels: levels + 1)
    var longer = bytes
    PathKey.append(key, to: &longer)
    return PathKey(trusted: longer)
  }
}

extension PathKey: Hashable, Comparable {
  package static func == (left: PathKey, right: PathKey) -> Bool { left.bytes == right.bytes }

  package func hash(into hasher: inout Hasher) {
    unsafe bytes.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  package static func < (left: PathKey, right: PathKey) -> Bool {
    let index = UTF8Text.commonPrefix(left.bytes.span, right.bytes.span)
    guard index < left.bytes.count, index < right.bytes.count else { return left.bytes.count < right.bytes.count }
    return left.bytes[index] < right.bytes[index]
  }
}

extension PathKey: CustomStringConvertible {
  package var description: String { String(decoding: textBytes, as: UTF8.self) }
}
