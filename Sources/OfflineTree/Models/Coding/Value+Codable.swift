/// Parts of a type that may be anything are a `Value`; other coders than ours see JSON.
extension Value: Codable, NodeDecodable, NodeEncodable {
  static func make(of node: NodeDecoder) throws -> Value? { try node.node.value() }

  func encode(into node: NodeEncoder) -> Bool {
    node.put(NewValue(self))
    return true
  }

  public init(from decoder: any Decoder) throws {
    if let node = decoder as? NodeDecoder {
      self = try node.node.value()
    } else if let scalar = try? Scalar(from: decoder) {
      self.init(scalar)
    } else if let elements = try? [Value](from: decoder) {
      self.init(elements: elements)
    } else if let members = try? [String: Value](from: decoder) {
      self.init(members: try members.map { (key: try OfflineTree.Key($0.key), value: $0.value) })
    } else {
      self = try decoder.singleValueContainer().decodeNil() ? .null : Value(try Scalar(from: decoder))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    if let node = encoder as? NodeEncoder { return node.put(NewValue(self)) }
    if let scalar { return try scalar.encode(to: encoder) }
    if let object {
      return try Dictionary(uniqueKeysWithValues: object.members.map { ($0.key.text, $0.value) }).encode(to: encoder)
    }
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

extension Scalar: Codable {
  public init(from decoder: any Decoder) throws {
    if let node = decoder as? NodeDecoder {
      self = try node.scalar(for: Scalar.self)
      return
    }
    let container = try decoder.singleValueContainer()
    if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int64.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = try .number(value)
    } else {
      self = .string(try container.decode(String.self))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    }
  }
}

extension Key: Codable {
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    do {
      try self.init(text)
    } catch {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(
          codingPath: decoder.codingPath, debugDescription: "\(error)", underlyingError: error))
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
