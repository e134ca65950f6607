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
  /// A literal with a name that cannot be a key is a programmer's error and stops the program.
  public init(dictionaryLiteral elements: (String, Value)...) {
    do throws(TreeError) {
      self.init(
        members: try elements.map { (name, value) throws(TreeError) in (key: try OfflineTree.Key(name), value: value) })
    } catch {
      preconditionFailure(error.description)
    }
  }
}
