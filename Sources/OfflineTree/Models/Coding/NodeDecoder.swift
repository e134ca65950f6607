/// The decoder of one node.
struct NodeDecoder: Decoder {
  /// What all nodes of one decoding share.
  final class Options {
    let userInfo: [CodingUserInfoKey: any Sendable]
    let keyStrategy: KeyStrategy
    let special: [ObjectIdentifier: @Sendable (any Decoder) throws -> Any]
    let place: NodePlace

    init(
      userInfo: [CodingUserInfoKey: any Sendable], keyStrategy: KeyStrategy,
      special: [ObjectIdentifier: @Sendable (any Decoder) throws -> Any], place: NodePlace
    ) {
      self.userInfo = userInfo
      self.keyStrategy = keyStrategy
      self.special = special
      self.place = place
    }
  }

  let node: TreeNode
  let options: Options
  let trail: CodingTrail

  init(_ node: TreeNode, _ options: Options, _ trail: CodingTrail = CodingTrail()) {
    self.node = node
    self.options = options
    self.trail = trail
  }

  var codingPath: [any CodingKey] { trail.codingPath }
  var userInfo: [CodingUserInfoKey: Any] { options.userInfo }

  /// Another node, under the key of this one.
  func with(_ node: TreeNode) -> NodeDecoder { NodeDecoder(node, options, trail) }

  func child(_ key: Key) throws -> NodeDecoder {
    NodeDecoder(try node.child(key), options, trail.child(NameCodingKey(key.text), key.text))
  }

  func element(_ index: Int) throws -> NodeDecoder {
    NodeDecoder(try node.child(Key(index: index)), options, trail.child(index))
  }

  func container<Name: CodingKey>(keyedBy type: Name.Type) throws -> KeyedDecodingContainer<Name> {
    if let scalar = try node.scalar() { throw mismatch([String: Value].self, "an object", scalar) }
    return KeyedDecodingContainer(KeyedNodeContainer<Name>(decoder: self, strategy: options.keyStrategy))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let count = try node.arrayCount() else { throw try noArray() }
    return UnkeyedNodeContainer(decoder: self, elements: count)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { SingleNodeContainer(decoder: self) }
}

// MARK: Reading

extension NodeDecoder {
  func isNil() throws -> Bool { try !node.exists() }

  /// The scalar here.
  func scalar<T>(for type: T.Type) throws -> Scalar {
    if let scalar = try node.scalar() { return scalar }
    if try isNil() { throw absent(type) }
    throw DecodingError.typeMismatch(type, context("\(place) is an object, and \(type) is asked for"))
  }

  func bool() throws -> Bool {
    let scalar = try scalar(for: Bool.self)
    guard case .bool(let value) = scalar else { throw mismatch(Bool.self, "Bool", scalar) }
    return value
  }

  func string() throws -> String {
    let scalar = try scalar(for: String.self)
    guard case .string(let value) = scalar else { throw mismatch(String.self, "String", scalar) }
    return value
  }

  func integer<I: FixedWidthInteger>(_ type: I.Type) throws -> I {
    let scalar = try scalar(for: type)
    let value: I? =
      switch scalar {
      case .int(let value): I(exactly: value)
      case .double(let value): I(exactly: value)
      case .bool, .string: throw mismatch(type, "\(type)", scalar)
      }
    guard let value else {
      throw DecodingError.dataCorrupted(context("\(place) is \(scalar.text), which \(type) cannot hold"))
    }
    return value
  }

  func float<F: BinaryFloatingPoint>(_ type: F.Type) throws -> F {
    let scalar = try scalar(for: type)
    let value: F
    switch scalar {
    case .int(let number): value = F(number)
    case .double(let number): value = F(number)
    case .bool, .string: throw mismatch(type, "\(type)", scalar)
    }
    guard value.isFinite else {
      throw DecodingError.dataCorrupted(context("\(place) is \(scalar.text), which \(type) cannot hold"))
    }
    return value
  }

  /// A value of any type, by what is known of the type here, or else by its own initializer.
  func unbox<T: Decodable>(_ type: T.Type) throws -> T {
    if let decode = options.special[ObjectIdentifier(type)] {
      if let value = try decode(self) as? T { return value }
      throw DecodingError.typeMismatch(type, context("the strategy for \(type) made something else at \(place)"))
    }
    if let type = type as? any NodeDecodable.Type, let value = try type.make(of: self) as? T { return value }
    return try T(from: self)
  }
}

/// A type that reads nodes itself, in a way that other decoders do not have.
protocol NodeDecodable {
  /// Nil where the type's own initializer is the way.
  static func make(of node: NodeDecoder) throws -> Self?
}

// MARK: Errors

extension NodeDecoder {
  var place: String { trail.place(below: options.place.path) }

  func context(_ sentence: String) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath, debugDescription: sentence)
  }

  func mismatch<T>(_ type: T.Type, _ wanted: String, _ found: Scalar) -> DecodingError {
    .typeMismatch(type, context("\(place) is \(found.text), and \(wanted) is asked for"))
  }

  func absent<T>(_ type: T.Type) -> DecodingError {
    let context = context("there is nothing at \(place), and \(type) is asked for")
    guard let property = trail.property else { return .valueNotFound(type, context) }
    return .keyNotFound(property, context)
  }

  private func noArray() throws -> DecodingError {
    if let scalar = try node.scalar() { return mismatch([Value].self, "an array", scalar) }
    let keys = try node.keys()
    let names = keys.prefix(3).map { "\"\($0)\"" }.joined(separator: ", ") + (keys.count > 3 ? " …" : "")
    return .typeMismatch(
      [Value].self,
      context(
        "\(place) has \(keys.count == 1 ? "the key" : "\(keys.count) keys,") \(names), and an array with the keys 0, 1, 2 … is asked for"
      ))
  }
}

extension Scalar {
  /// The kind and the value, for a sentence.
  var text: String {
    switch self {
    case .bool(let value): "\(value)"
    case .int(let value): "the number \(value)"
    case .double(let value): "the number \(value)"
    case .string(let value): "the string \"\(UTF8Text.excerpt(value.utf8))\""
    }
  }
}
