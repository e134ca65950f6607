/// A node's children 0, 1, 2 … in turn.
struct UnkeyedNodeContainer: UnkeyedDecodingContainer {
  let decoder: NodeDecoder
  let elements: Int
  var currentIndex = 0

  init(decoder: NodeDecoder, elements: Int) {
    self.decoder = decoder
    self.elements = elements
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { elements }
  var isAtEnd: Bool { currentIndex >= elements }

  /// The next element; it is passed only if `read` succeeds.
  private mutating func next<T>(_ type: T.Type, _ read: (NodeDecoder) throws -> T) throws -> T {
    if isAtEnd {
      throw DecodingError.valueNotFound(
        type, decoder.context("\(decoder.place) has \(elements) elements, and \(type) is asked for as another one"))
    }
    let value = try read(try decoder.element(currentIndex))
    currentIndex += 1
    return value
  }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd { return false }
    let isNil = try decoder.element(currentIndex).isNil()
    if isNil { currentIndex += 1 }
    return isNil
  }

  mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type) { try $0.bool() } }
  mutating func decode(_ type: String.Type) throws -> String { try next(type) { try $0.string() } }
  mutating func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type) throws -> I {
    try next(type) { try $0.integer(type) }
  }
  mutating func decode<F: BinaryFloatingPoint & Decodable>(_ type: F.Type) throws -> F {
    try next(type) { try $0.float(type) }
  }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next(type) { try $0.unbox(type) } }

  mutating func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type
  ) throws -> KeyedDecodingContainer<Inner> {
    try next(KeyedDecodingContainer<Inner>.self) { try $0.container(keyedBy: type) }
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try next((any UnkeyedDecodingContainer).self) { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try next((any Decoder).self) { $0 } }
}

/// A node that is asked for as a whole.
struct SingleNodeContainer: SingleValueDecodingContainer {
  let decoder: NodeDecoder

  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool {
    // Where it cannot be read, reading it says why.
    (try? decoder.isNil()) ?? false
  }

  func decode(_ type: Bool.Type) throws -> Bool { try decoder.bool() }
  func decode(_ type: String.Type) throws -> String { try decoder.string() }
  func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type) throws -> I { try decoder.integer(type) }
  func decode<F: BinaryFloatingPoint & Decodable>(_ type: F.Type) throws -> F { try decoder.float(type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.unbox(type) }
}
