/// Writes JSON into a growing array of bytes, which a caller who streams takes out between members.
///
/// Compact, or with two spaces for each level. The caller keeps the grammar: a name before each member of an object.
package struct JSONWriter {
  var bytes: [UInt8] = []
  private let isPretty: Bool
  /// How many objects and arrays are open.
  private var depth = 0
  /// Whether something stands in the innermost of them already; in those around it something always does.
  private var hasItems = false
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

  /// Hands what was written since the last call to `output`, and keeps the room for more.
  mutating func hand(to output: ([UInt8]) throws -> Void) throws {
    try output(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  package mutating func beginObject() { open(UInt8(ascii: "{")) }
  package mutating func endObject() { close(UInt8(ascii: "}")) }
  package mutating func beginArray() { open(UInt8(ascii: "[")) }
  package mutating func endArray() { close(UInt8(ascii: "]")) }

  package mutating func key(_ text: String) {
    beginItem()
    quote(text)
    endKey()
  }

  package mutating func key(_ key: Key) { self.key(key.text) }

  package mutating func null() { word("null") }
  package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }
  package mutating func int(_ value: Int64) {
    beginItem()
    append(value)
  }

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
    depth += 1
    hasItems = false
  }

  private mutating func close(_ bracket: UInt8) {
    depth = max(depth - 1, 0)
    if hasItems { breakLine() }
    bytes.append(bracket)
    hasItems = true
  }

  /// What stands before a name, an element or a value.
  @inline(__always)
  mutating func beginItem() {
    if followsKey {
      followsKey = false
      return
    }
    if depth == 0 { return }
    if hasItems { bytes.append(UInt8(ascii: ",")) }
    hasItems = true
    if isPretty { breakLine() }
  }

  /// What stands behind a name.
  @inline(__always)
  mutating func endKey() {
    bytes.append(UInt8(ascii: ":"))
    if isPretty { bytes.append(UInt8(ascii: " ")) }
    followsKey = true
  }

  private mutating func breakLine() {
    guard isPretty else { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  private mutating func quote(_ text: String) {
    let isInPlace: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { buffer in
      unsafe quote(UnsafeRawBufferPointer(buffer).bytes)
    }
    if isInPlace == nil { unsafe quote(Array(text.utf8).span.bytes) }
  }
}
