/// Reads JSON (RFC 8259, UTF-8) as a stream of events from a window of bytes that is filled again as it runs out.
///
/// What it holds at a time is one window, one string or key, and one bit of state per level: a text of any size is
/// read in bounded memory. Everything that the grammar does not allow is refused, with line and column.
package struct JSONScanner {
  package enum Event: Equatable {
    case beginObject, endObject, beginArray, endArray
    /// A member's name, in `text` until the next event is asked for. Its value follows.
    case key
    /// A string, in `text` until the next event is asked for.
    case string
    case int(Int64)
    /// A number with a point, an exponent, or beyond 64 bits. Never −0.0.
    case double(Double)
    case bool(Bool)
    case null
    /// The one value has ended, and nothing but white space follows it.
    case end
  }

  /// Appends the bytes that come next to the array, which is empty; none if there are no more.
  package typealias Refill = (inout [UInt8]) throws(TreeError) -> Void

  /// Levels of arrays and objects that a text may have.
  package static let depthLimit = 64
  /// Bytes that the text of one number may have.
  static let numberLimit = 4_096

  enum State {
    case value, objectStart, objectNext, arrayStart, arrayNext, done
  }

  var window: [UInt8]
  var index = 0
  private let refill: Refill?
  /// Bytes that came before the window.
  private var consumed = 0
  private var line = 1
  private var lineStart = 0
  var state = State.value
  /// For each open level, whether it is an object.
  private var levels: [Bool] = []
  /// The UTF-8 bytes of the key or string last read.
  package internal(set) var text: [UInt8] = []

  package init(refill: @escaping Refill) {
    window = []
    self.refill = refill
  }

  package init(_ bytes: [UInt8]) {
    window = bytes
    refill = nil
  }

  /// `text` as a string.
  package var string: String { String(decoding: text, as: UTF8.self) }

  /// Bytes read so far.
  package var offset: Int { consumed + index }

  /// - Throws: `invalidArgument` for what is not JSON, `limitExceeded` for what is too deep or too long, and what the
  ///   refill throws. After an error the scanner is of no further use.
  package mutating func next() throws(TreeError) -> Event {
    try skipWhiteSpace()
    let byte = try peek()
    switch state {
    case .value: return try value(byte)
    case .done:
      guard byte == nil else { throw failure("something follows the value") }
      return .end
    case .arrayStart: return byte == UInt8(ascii: "]") ? close(.endArray) : try value(byte)
    case .arrayNext:
      if byte == UInt8(ascii: "]") { return close(.endArray) }
      guard byte == UInt8(ascii: ",") else { throw failure("expected , or ] in an array") }
      index += 1
      try skipWhiteSpace()
      return try value(try peek())
    case .objectStart: return byte == UInt8(ascii: "}") ? close(.endObject) : try key(byte)
    case .objectNext:
      if byte == UInt8(ascii: "}") { return close(.endObject) }
      guard byte == UInt8(ascii: ",") else { throw failure("expected , or } in an object") }
      index += 1
      try skipWhiteSpace()
      return try key(try peek())
    }
  }

  private mutating func key(_ byte: UInt8?) throws(TreeError) -> Event {
    guard byte == UInt8(ascii: "\"") else { throw failure("expected a name in quotation marks") }
    try scanString()
    try skipWhiteSpace()
    guard try peek() == UInt8(ascii: ":") else { throw failure("expected : after a name") }
    index += 1
    state = .value
    return .key
  }

  private mutating func value(_ byte: UInt8?) throws(TreeError) -> Event {
    let event: Event
    switch byte {
    case UInt8(ascii: "{"): return try open(.beginObject, isObject: true)
    case UInt8(ascii: "["): return try open(.beginArray, isObject: false)
    case UInt8(ascii: "\""):
      try scanString()
      event = .string
    case UInt8(ascii: "t"): event = try word("true", .bool(true))
    case UInt8(ascii: "f"): event = try word("false", .bool(false))
    case UInt8(ascii: "n"): event = try word("null", .null)
    case UInt8(ascii: "-"), (UInt8(ascii: "0")...UInt8(ascii: "9"))?: event = try scanNumber()
    case nil: throw failure("the text ends where a value should be")
    default: throw failure("expected a value")
    }
    valueEnded()
    return event
  }

  private mutating func open(_ event: Event, isObject: Bool) throws(TreeError) -> Event {
    guard levels.count < JSONScanner.depthLimit else {
      throw failure("more than \(JSONScanner.depthLimit) levels", .limitExceeded)
    }
    index += 1
    levels.append(isObject)
    state = isObject ? .objectStart : .arrayStart
    return event
  }

  private mutating func close(_ event: Event) -> Event {
    index += 1
    levels.removeLast()
    valueEnded()
    return event
  }

  private mutating func valueEnded() {
    state = levels.last.map { $0 ? .objectNext : .arrayNext } ?? .done
  }

  private mutating func word(_ word: StaticString, _ event: Event) throws(TreeError) -> Event {
    for position in 0..<word.utf8CodeUnitCount {
      let expected = unsafe word.utf8Start[position]
      guard try peek() == expected else { throw failure("expected \(word)") }
      index += 1
    }
    return event
  }
}

extension JSONScanner {
  /// The byte at the cursor, nil at the end of the text.
  @inline(__always)
  mutating func peek() throws(TreeError) -> UInt8? {
    if index < window.count { return window[index] }
    return try refilled() ? window[0] : nil
  }

  /// Replaces a window that is used up; false at the end of the text.
  mutating func refilled() throws(TreeError) -> Bool {
    guard let refill else { return false }
    consumed += index
    index = 0
    window.removeAll(keepingCapacity: true)
    try refill(&window)
    return !window.isEmpty
  }

  private mutating func skipWhiteSpace() throws(TreeError) {
    while let byte = try peek() {
      switch byte {
      case 0x20, 0x09, 0x0D: index += 1
      case 0x0A:
        index += 1
        line += 1
        lineStart = offset
      default: return
      }
    }
  }

  func failure(_ problem: String, _ code: TreeError.Code = .invalidArgument) -> TreeError {
    TreeError(code, "JSON, line \(line), column \(offset - lineStart + 1): \(problem)")
  }
}
