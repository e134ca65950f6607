/// A model by its key alone.
///
/// An array of links is a map `{key: true}` in the tree: two devices that each add one while apart have added both. A
/// single link is its key, as a string.
public struct Link<Target: Queryable>: Sendable {
  public let key: String
  private let database: Database?

  public init(key: String) { (self.key, database) = (key, nil) }

  /// - Throws: `invalidArgument` for a model that is not in the tree.
  public init(to target: Target) throws(TreeError) {
    let reference = try target.requireReference()
    (key, database) = (reference.key ?? "", reference.database)
  }

  fileprivate init(key: String, _ database: Database?) { (self.key, self.database) = (key, database) }

  /// The model; nil if it is not there.
  /// - Parameter database: Where to look; the database that the link was read from, if none is given.
  public func resolve(in database: Database? = nil) async throws -> Target? {
    try await [self].resolve(in: database).first
  }

  fileprivate func requireDatabase(_ given: Database?) throws(TreeError) -> Database {
    if let database = given ?? database { return database }
    throw TreeError(
      .invalidArgument, "the link to \(Target.collection)/\(key) was not read from a database",
      advice: "Say which database to look in.")
  }
}

extension Array {
  /// The models that the links lead to, in the links' order, in one consistent read. Those that are not there are left
  /// out: they may have been removed by a device that did not know of the link.
  /// - Parameter database: Where to look; the database that the links were read from, if none is given.
  public func resolve<Target>(in database: Database? = nil) async throws -> [Target] where Element == Link<Target> {
    guard let first else { return [] }
    let database = try first.requireDatabase(database)
    let collection = Target.reference(in: database)
    let places = map { collection.child($0.key) }
    return try await database.readAside { transaction in
      try places.compactMap { try Target.model(at: $0, transaction) }
    }
  }
}

extension Link: Hashable {
  public static func == (left: Link, right: Link) -> Bool { UTF8Text.areEqual(left.key, right.key) }
  public func hash(into hasher: inout Hasher) { key.hashUTF8(into: &hasher) }
}

extension Link: Codable {
  public init(from decoder: any Decoder) throws {
    self.init(
      key: try decoder.singleValueContainer().decode(String.self), (decoder as? NodeDecoder)?.options.place.database)
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(key)
  }
}

// MARK: Arrays by key

/// What stands in an array under a key of its own.
protocol KeyedElement: Codable {
  static func element(_ key: Key, of node: NodeDecoder) throws -> Self
  /// Nil for one that has none yet.
  var elementKey: String? { get }
  func encodeElement(into node: NodeEncoder) throws
}

extension Link: KeyedElement {
  static func element(_ key: Key, of node: NodeDecoder) throws -> Link {
    Link(key: key.text, node.options.place.database)
  }

  var elementKey: String? { key }
  func encodeElement(into node: NodeEncoder) { node.put(.bool(true)) }
}

/// Arrays of links and of models are maps by key, in key order, or a query's; other arrays have the keys 0, 1, 2 ….
extension Array: NodeDecodable where Element: Decodable {
  static func make(of decoder: NodeDecoder) throws -> [Element]? {
    if let type = Element.self as? any KeyedElement.Type { return try keyed(type, decoder) as? [Element] }
    if let type = Element.self as? any TreeModel.Type { return try models(type, decoder) as? [Element] }
    return nil
  }

  private static func keyed<E: KeyedElement>(_ type: E.Type, _ decoder: NodeDecoder) throws -> [E] {
    try keys(decoder).map { try E.element($0, of: try decoder.child($0)) }
  }

  /// A child that is `true` is a model of which the key alone is known.
  private static func models<M: TreeModel>(_ type: M.Type, _ decoder: NodeDecoder) throws -> [M] {
    try keys(decoder).map { key in
      let child = try decoder.child(key)
      let isLink = try child.node.scalar() == .bool(true)
      var model = try (isLink ? child.with(.absent) : child).unbox(M.self)
      model.node = decoder.modelNode(child.trail)
      return model
    }
  }

  private static func keys(_ decoder: NodeDecoder) throws -> [Key] {
    if let scalar = try decoder.node.scalar() { throw decoder.mismatch(Self.self, "a map by key", scalar) }
    return try decoder.node.keys()
  }
}

extension Array: NodeEncodable where Element: Encodable {
  func encode(into encoder: NodeEncoder) throws -> Bool {
    if let links = self as? [any KeyedElement] {
      try encode(links.map { ($0.elementKey, $0.encodeElement) }, into: encoder)
      return true
    }
    guard Element.self is any TreeModel.Type, let models = self as? [any TreeModel],
      models.contains(where: { $0.key != nil })
    else { return false }
    try encode(models.map { model in (model.key, { try $0.boxModel(model) }) }, into: encoder)
    return true
  }

  private func encode(
    _ elements: [(key: String?, encode: (NodeEncoder) throws -> Void)], into encoder: NodeEncoder
  ) throws {
    encoder.node.beginMembers()
    for (index, element) in elements.enumerated() {
      guard let key = element.key else {
        throw encoder.node.refused(
          encoder.options, "the element \(index) of \(encoder.place) has no key, and others have one",
          "Give it one with ModelNode(key:), or insert it.")
      }
      try element.encode(encoder.with(encoder.node.member(NameCodingKey(key), named: key)))
    }
  }
}

extension NodeEncoder {
  /// A model among others: one that has a key and nothing else is `true`, as a link is.
  fileprivate func boxModel<M: TreeModel>(_ model: M) throws {
    try box(model)
    if try node.newValue(options).content == .null { put(.bool(true)) }
  }
}
