/// Children by a type's names.
struct NewMembers<Name: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  private func member(_ name: Name, again: Bool = false) -> NodeEncoder {
    let strategy = encoder.node.isDictionary ? KeyStrategy.useDefaultKeys : encoder.options.keyStrategy
    let text = strategy.name(of: name, below: encoder.node.trail)
    return encoder.with(encoder.node.member(name, named: text, again: again))
  }

  mutating func encodeNil(forKey name: Name) { _ = member(name) }
  mutating func encode(_ value: Bool, forKey name: Name) { member(name).put(.bool(value)) }
  mutating func encode(_ value: String, forKey name: Name) throws { try member(name).put(value) }
  mutating func encode<I: FixedWidthInteger & Encodable>(_ value: I, forKey name: Name) throws {
    try member(name).put(integer: value)
  }
  mutating func encode<F: BinaryFloatingPoint & Encodable>(_ value: F, forKey name: Name) throws {
    try member(name).put(float: value)
  }
  mutating func encode<T: Encodable>(_ value: T, forKey name: Name) throws { try member(name).box(value) }

  mutating func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey name: Name
  ) -> KeyedEncodingContainer<Inner> {
    member(name, again: true).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer(forKey name: Name) -> any UnkeyedEncodingContainer {
    member(name, again: true).unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    encoder.with(encoder.node.member(NameCodingKey.superKey, named: NameCodingKey.superKey.stringValue))
  }

  mutating func superEncoder(forKey name: Name) -> any Encoder { member(name) }
}

/// Children 0, 1, 2 … in turn.
struct NewElements: UnkeyedEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }
  var count: Int { encoder.node.elementCount }

  private func element() -> NodeEncoder { encoder.with(encoder.node.element()) }

  mutating func encodeNil() { _ = element() }
  mutating func encode(_ value: Bool) { element().put(.bool(value)) }
  mutating func encode(_ value: String) throws { try element().put(value) }
  mutating func encode<I: FixedWidthInteger & Encodable>(_ value: I) throws { try element().put(integer: value) }
  mutating func encode<F: BinaryFloatingPoint & Encodable>(_ value: F) throws { try element().put(float: value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try element().box(value) }

  mutating func nestedContainer<Inner: CodingKey>(keyedBy type: Inner.Type) -> KeyedEncodingContainer<Inner> {
    element().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { element().unkeyedContainer() }
  mutating func superEncoder() -> any Encoder { element() }
}

/// A node that is given as a whole.
struct NewSingleValue: SingleValueEncodingContainer {
  let encoder: NodeEncoder

  var codingPath: [any CodingKey] { encoder.codingPath }

  mutating func encodeNil() { encoder.put(.null) }
  mutating func encode(_ value: Bool) { encoder.put(.bool(value)) }
  mutating func encode(_ value: String) throws { try encoder.put(value) }
  mutating func encode<I: FixedWidthInteger & Encodable>(_ value: I) throws { try encoder.put(integer: value) }
  mutating func encode<F: BinaryFloatingPoint & Encodable>(_ value: F) throws { try encoder.put(float: value) }
  mutating func encode<T: Encodable>(_ value: T) throws { try encoder.box(value) }
}
