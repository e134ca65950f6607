/// The name of a child: a valid key of the Firebase Realtime Database.
///
/// Not empty, at most 768 UTF-8 bytes, without `.` `#` `$` `[` `]` `/`, U+0000–U+001F and U+007F. Keys are equal when
/// their UTF-8 bytes are: composed and decomposed forms are two keys.
public struct Key: Sendable {
  /// UTF-8 bytes that a key may have.
  static let byteLimit = 768

  public let text: String

  /// - Throws: `invalidArgument` or `limitExceeded`, saying what is wrong with the text.
  /// - Complexity: O(length).
  public init(_ text: String) throws(TreeError) {
    var text = text
    text.makeContiguousUTF8()
    if let error = text.withUTF8Span(Key.problem) { throw error }
    self.text = text
  }

  /// A key from UTF-8 bytes, which may come from anywhere.
  /// - Throws: `invalidArgument` or `limitExceeded`, saying what is wrong with the bytes.
  /// - Complexity: O(length).
  public init(utf8 bytes: some Collection<UInt8>) throws(TreeError) {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TreeError(.invalidArgument, "the key \"\(UTF8Text.excerpt(bytes))\" is not valid UTF-8")
    }
    try self.init(text)
  }

  /// A key from bytes that are known to be UTF-8.
  init(validUTF8 bytes: [UInt8]) throws(TreeError) {
    if let error = Key.problem(in: bytes.span) { throw error }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// For text that has passed the same checks elsewhere.
  init(trusted text: String) {
    self.text = text
  }

  /// - Complexity: O(length): the bytes are copied.
  public var utf8: [UInt8] { Array(text.utf8) }

  /// The key of the element `index` of an array.
  public init(index: Int) {
    text = String(index)
  }

  /// One bit for each of U+0000–U+003F: control characters and `#` `$` `.` `/`.
  private static let forbiddenLow: UInt64 = 0x0000_C018_FFFF_FFFF
  /// One bit for each of U+0040–U+007F: `[` `]` and U+007F.
  private static let forbiddenHigh: UInt64 = 0x8000_0000_2800_0000

  /// Whether a key may hold this byte; bytes from 0x80 on are a matter of UTF-8.
  @inline(__always)
  static func allows(_ byte: UInt8) -> Bool {
    byte >= 0x80 || (byte < 64 ? forbiddenLow : forbiddenHigh) >> UInt64(byte & 63) & 1 == 0
  }

  private static func problem(in bytes: borrowing Span<UInt8>) -> TreeError? {
    if bytes.isEmpty { return TreeError(.invalidArgument, "a key is empty", advice: "Give it at least one character.") }
    if bytes.count > byteLimit {
      return TreeError(
        .limitExceeded, "a key of \(bytes.count) bytes is longer than \(byteLimit)", advice: "Use a shorter key.")
    }
    for index in bytes.indices where !allows(bytes[index]) {
      let text = bytes.indices.map { bytes[$0] }
      return TreeError(
        .invalidArgument, "the key \"\(UTF8Text.excerpt(text))\" holds a character that keys cannot have",
        advice: "Leave out . # $ [ ] / and control characters.")
    }
    return nil
  }
}

extension Key: Hashable {
  public static func == (left: Key, right: Key) -> Bool { UTF8Text.areEqual(left.text, right.text) }
  public func hash(into hasher: inout Hasher) { text.hashUTF8(into: &hasher) }
}

extension Key: CustomStringConvertible {
  public var description: String { text }
}
