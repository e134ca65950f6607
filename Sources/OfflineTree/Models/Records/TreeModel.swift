/// A type whose values are nodes of the tree and know where they are.
///
///     struct Joke: TreeModel, Queryable, Insertable {
///       static let collection = "jokes"
///       var node = ModelNode()
///       var author: String
///       var jokeText: String
///       var votes = 0
///     }
///
/// `node` is no property in the tree: reading a model sets it, writing one leaves it out. Everything else is `Codable`.
/// What a model may do is chosen by conforming to `Queryable`, `Insertable`, `Deletable`, `PropertyWritable` and
/// `StorageDownloadable`.
public protocol TreeModel: Codable, Sendable {
  /// Where the model was read; empty for one that was made here and is not in the tree.
  var node: ModelNode { get set }

  /// How models are written: names of properties, dates.
  static var encoder: TreeEncoder { get }
  /// How models are read; the other half of `encoder`.
  static var decoder: TreeDecoder { get }
  /// Names in the tree of properties that cannot be found out: see `childName(of:)`.
  static var childNames: [PartialKeyPath<Self>: String] { get }
}

extension TreeModel {
  public static var encoder: TreeEncoder { TreeEncoder() }
  public static var decoder: TreeDecoder { TreeDecoder() }
  public static var childNames: [PartialKeyPath<Self>: String] { [:] }

  /// The name of the node; nil for a model that is not in the tree.
  public var key: String? { node.key }

  /// - Throws: `invalidArgument` for a model that was not read from a database.
  func requireReference() throws(TreeError) -> DatabaseReference {
    if let reference = node.reference { return reference }
    throw TreeError(
      .invalidArgument, "this \(Self.self) was not read from a database",
      advice: "Insert it, or read it with all, from(key:) or data(as:).")
  }
}

/// Where a model is in a tree.
public struct ModelNode: Sendable {
  /// The node's name.
  public let key: String?
  /// The node; nil for a model that was decoded from a mere value.
  public let reference: DatabaseReference?

  /// A model that is not in the tree.
  public init() { (key, reference) = (nil, nil) }

  /// A model that is to have that key among its siblings, in an array of models.
  public init(key: String) { (self.key, reference) = (key, nil) }

  public init(_ reference: DatabaseReference) { (key, self.reference) = (reference.key, reference) }
}

extension ModelNode: Hashable {
  public static func == (left: ModelNode, right: ModelNode) -> Bool {
    left.key == right.key && left.reference == right.reference
  }

  public func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ModelNode: Codable, NodeDecodable, NodeEncodable {
  static func make(of decoder: NodeDecoder) throws -> ModelNode? { decoder.modelNode(decoder.trail.above) }

  /// Leaves nothing behind.
  func encode(into node: NodeEncoder) -> Bool { true }

  /// Where other decoders read, there is no tree.
  public init(from decoder: any Decoder) throws { self.init() }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encodeNil()
  }
}

extension NodeDecoder {
  /// The node that a trail leads to.
  func modelNode(_ trail: CodingTrail) -> ModelNode {
    let names = options.place.path.keys.map(\.text) + trail.names
    guard let name = names.last else { return ModelNode() }
    guard let database = options.place.database else { return ModelNode(key: name) }
    return ModelNode(database.reference(withPath: names.joined(separator: "/")))
  }
}
