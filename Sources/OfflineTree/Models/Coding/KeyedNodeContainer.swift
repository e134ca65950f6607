/// A node's children by a type's names.
struct KeyedNodeContainer<Name: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: NodeDecoder
  let strategy: KeyStrategy

  var codingPath: [any CodingKey] { decoder.codingPath }

  /// The names that the type has for the node's children. Reads the children's keys.
  var allKeys: [Name] {
    // A container cannot say that its keys cannot be read: whoever reads a value next is told.
    let keys = (try? decoder.node.keys()) ?? []
    return keys.compactMap { key in
      if case .convertToSnakeCase = strategy {
        Name(stringValue: KeyStrategy.camelCase(key.text))
      } else {
        Name(stringValue: key.text)
      }
    }
  }

  func contains(_ name: Name) -> Bool {
    // Where it cannot be read, reading it says why.
    (try? child(name).isNil()) != true
  }

  private func child(_ name: Name) throws -> NodeDecoder {
    try child(name, as: strategy.name(of: name, below: decoder.trail))
  }

  private func child(_ name: any CodingKey, as text: String) throws -> NodeDecoder {
    var (node, text) = (try decoder.node.child(text), text)
    if case .convertToSnakeCase = strategy, text != name.stringValue, try !node.exists() {
      let plain = try decoder.node.child(name.stringValue)
      if try plain.exists() { (node, text) = (plain, name.stringValue) }
    }
    return NodeDecoder(node, decoder.options, decoder.trail.child(name, text))
  }

  func decodeNil(forKey name: Name) throws -> Bool { try child(name).isNil() }
  func decode(_ type: Bool.Type, forKey name: Name) throws -> Bool { try child(name).bool() }
  func decode(_ type: String.Type, forKey name: Name) throws -> String { try child(name).string() }
  func decode<I: FixedWidthInteger & Decodable>(_ type: I.Type, forKey name: Name) throws -> I {
    try child(name).integer(type)
  }
  func decode<F: BinaryFloatingPoint & Decodable>(_ type: F.Type, forKey name: Name) throws -> F {
    try child(name).float(type)
  }
  func decode<T: Decodable>(_ type: T.Type, forKey name: Name) throws -> T { try child(name).unbox(type) }

  func decodeIfPresent(_ type: Bool.Type, forKey name: Name) throws -> Bool? { try present(name)?.bool() }
  func decodeIfPresent(_ type: String.Type, forKey name: Name) throws -> String? { try present(name)?.string() }
  func decodeIfPresent<I: FixedWidthInteger & Decodable>(_ type: I.Type, forKey name: Name) throws -> I? {
    try present(name)?.integer(type)
  }
  func decodeIfPresent<F: BinaryFloatingPoint & Decodable>(_ type: F.Type, forKey name: Name) throws -> F? {
    try present(name)?.float(type)
  }
  func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey name: Name) throws -> T? {
    try present(name)?.unbox(type)
  }

  /// Nil where there is nothing.
  private func present(_ name: Name) throws -> NodeDecoder? {
    let child = try child(name)
    return try child.isNil() ? nil : child
  }

  func nestedContainer<Inner: CodingKey>(
    keyedBy type: Inner.Type, forKey name: Name
  ) throws -> KeyedDecodingContainer<Inner> {
    try child(name).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey name: Name) throws -> any UnkeyedDecodingContainer {
    try child(name).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    try child(NameCodingKey.superKey, as: NameCodingKey.superKey.stringValue)
  }
  func superDecoder(forKey name: Name) throws -> any Decoder { try child(name) }
}
