extension Value: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .null }
}

extension Value: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension Value: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .int(value) }
}

extension Value: ExpressibleByFloatLiteral {
  public init(floatLiteral value: Double) { self = .double(value == 0 ? 0 : value) }
}

extension Value: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
}

extension Value: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: Value...) { self.init(elements: elements) }
}

extension Value: ExpressibleByDictionaryLiteral {
  /// A key in a literal that cannot be one is a programmer's error and stops the program.
  public init(dictionaryLiteral elements: (Key, Value)...) {
    self.init(members: elements.map { (key: $0.0, value: $0.1) })
  }
}

extension Key: ExpressibleByStringLiteral {
  /// A literal that cannot be a key is a programmer's error and stops the program.
  public init(stringLiteral text: String) {
    do {
      try self.init(text)
    } catch {
      preconditionFailure(error.description)
    }
  }
}
