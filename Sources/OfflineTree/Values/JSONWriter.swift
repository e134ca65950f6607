/// Writes JSON into a growing array of bytes, which a caller who streams takes out between members.
///
/// Compact, or with two spaces for each level. The caller keeps the grammar: a name before each member of an object.
package struct JSONWriter {
  private var bytes: [UInt8] = []
  private let isPretty: Bool
  /// For each open level, whether something stands in it already.
  private var levels: [Bool] = []
  private var followsKey = false

  package init(pretty: Bool = false) {
    isPretty = pretty
  }

  /// Bytes written and not taken yet.
  package var count: Int { bytes.count }

  /// What was written since the last call.
  package mutating func take() -> [UInt8] {
    defer { bytes.removeAll() }
    return bytes
  }

  package mutating func beginObject() { open(UInt8(ascii: "{")) }
  package mutating func endObject() { close(UInt8(ascii: "}")) }
  package mutating func beginArray() { open(UInt8(ascii: "[")) }
  package mutating func endArray() { close(UInt8(ascii: "]")) }

  package mutating func key(_ text: String) {
    beginItem()
    quote(text)
    bytes.append(UInt8(ascii: ":"))
    if isPretty { bytes.append(UInt8(ascii: " ")) }
    followsKey = true
  }

  package mutating func key(_ key: Key) { self.key(key.text) }

  package mutating func null() { word("null") }
  package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }
  package mutating func int(_ value: Int64) { word(value.description) }

  /// The shortest digits that read back as `value`, with a point or an exponent. `value` is finite.
  package mutating func double(_ value: Double) { word(value.description) }

  package mutating func string(_ text: String) {
    beginItem()
    quote(text)
  }

  package mutating func scalar(_ scalar: Scalar) {
    switch scalar {
    case .bool(let value): bool(value)
    case .int(let value): int(value)
    case .double(let value): double(value)
    case .string(let value): string(value)
    }
  }

  package mutating func value(_ value: Value) {
    guard let object = value.object else {
      if let scalar = value.scalar { self.scalar(scalar) } else { null() }
      return
    }
    beginObject()
    for member in object.members {
      key(member.key)
      self.value(member.value)
    }
    endObject()
  }

  private mutating func word(_ text: String) {
    beginItem()
    bytes.append(contentsOf: text.utf8)
  }

  private mutating func open(_ bracket: UInt8) {
    beginItem()
    bytes.append(bracket)
    levels.append(false)
  }

  private mutating func close(_ bracket: UInt8) {
    let hadItems = levels.popLast() ?? false
    if hadItems { breakLine() }
    bytes.append(bracket)
  }

  private mutating func beginItem() {
    if followsKey {
      followsKey = false
      return
    }
    guard let isNext = levels.last else { return }
    if isNext { bytes.append(UInt8(ascii: ",")) }
    levels[levels.count - 1] = true
    breakLine()
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * levels.count))
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    let isPlain = text.withUTF8Span { UTF8Text.plainEnd(in: $0, from: 0) == $0.count }
    if isPlain { bytes.append(contentsOf: text.utf8) } else { escape(text) }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ text: String) {
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0x08: bytes.append(contentsOf: "\\b".utf8)
      case 0x09: bytes.append(contentsOf: "\\t".utf8)
      case 0x0A: bytes.append(contentsOf: "\\n".utf8)
      case 0x0C: bytes.append(contentsOf: "\\f".utf8)
      case 0x0D: bytes.append(contentsOf: "\\r".utf8)
      case 0..<0x20:
        bytes.append(contentsOf: "\\u00".utf8)
        bytes.append(contentsOf: hexadecimal([byte]).utf8)
      default: bytes.append(byte)
      }
    }
  }
}
