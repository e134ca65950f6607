/// The encoder of one node.
struct NodeEncoder: Encoder {
  /// What all nodes of one encoding share.
  final class Options {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let keyStrategy: KeyStrategy
    let dropsEmpty: Bool
    let special: [ObjectIdentifier: @Sendable (Any, any Encoder) throws -> Void]
    let place: Path

    init(
      userInfo: [CodingUserInfoKey: any Sendable], keyStrategy: KeyStrategy, dropsEmpty: Bool,
      special: [ObjectIdentifier: @Sendable (Any, any Encoder) throws -> Void], place: Path
    ) {
      self.userInfo = userInfo
      self.keyStrategy = keyStrategy
      self.dropsEmpty = dropsEmpty
      self.special = special
      self.place = place
    }
  }

  let node: NewNode
  let options: Options

  init(_ node: NewNode, _ options: Options) {
    self.node = node
    self.options = options
  }

  var codingPath: [any CodingKey] { node.trail.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { options.userInfo }
  var place: String { node.place(options) }

  func with(_ node: NewNode) -> NodeEncoder { NodeEncoder(node, options) }

  func container<Name: CodingKey>(keyedBy type: Name.Type) -> KeyedEncodingContainer<Name> {
    node.beginMembers()
    return KeyedEncodingContainer(NewMembers<Name>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    node.beginElements()
    return NewElements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { NewSingleValue(encoder: self) }
}

// MARK: Writing

extension NodeEncoder {
  func put(_ value: NewValue) { node.content = .value(value) }
  func put(_ scalar: Scalar) { put(NewValue(scalar)) }

  func put(_ text: String) throws {
    do {
      put(try Scalar.string(text).normalized())
    } catch {
      throw node.refused(options, "\(place): \(error.context)", error.advice, value: text)
    }
  }

  func put(integer value: some FixedWidthInteger) throws {
    guard let number = Int64(exactly: value) else {
      throw node.refused(
        options, "\(place) would be \(value), which is beyond 64 bits with a sign", "Store it as a string.",
        value: value)
    }
    put(.int(number))
  }

  func put(float value: some BinaryFloatingPoint) throws {
    guard value.isFinite, let number = try? Scalar.number(Double(value)) else {
      throw node.refused(
        options, "\(place) would be \(value), which cannot be stored", "Use a finite number, or nil.", value: value)
    }
    put(number)
  }

  /// A value of any type, by what is known of the type here, or else by its own `encode`.
  func box<T: Encodable>(_ value: T) throws {
    if let encode = options.special[ObjectIdentifier(T.self)] { return try encode(value, self) }
    if let value = value as? any NodeEncodable, try value.encode(into: self) { return }
    try value.encode(to: self)
  }
}

/// A type that writes nodes itself, in a way that other encoders do not have.
protocol NodeEncodable {
  /// Returns false where the type's own `encode` is the way.
  func encode(into node: NodeEncoder) throws -> Bool
}
