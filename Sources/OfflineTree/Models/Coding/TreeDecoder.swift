/// Makes values of `Decodable` types from nodes of the tree.
///
/// - Integers keep 64 bits; a whole double is an integer where a type asks for one, and a number that does not fit is an
///   error that names it. `true` is no number.
/// - A node that is absent is an empty array, dictionary or object, whichever a type asks for: what was empty when it was
///   written is so when it is read. An `Optional` reads it as nil (docs/decisions/0027-codable-and-absence.md).
/// - An array is an object with the keys 0, 1, 2 …; one with gaps reads as Firebase reads it, nil standing in the gaps.
/// - Nothing is read but what a type asks for.
///
/// - Throws: All `decode` functions throw Swift's `DecodingError` where the tree holds something else than the type
///   expects, with the node's path and both kinds in its description; and `TreeError` where reading fails.
public struct TreeDecoder: Sendable {
  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  /// The encoder's strategy.
  public var keyDecodingStrategy = KeyStrategy.useDefaultKeys
  private var special: [ObjectIdentifier: @Sendable (any Decoder) throws -> Any] = [:]

  public init() {}

  /// Decodes a type in another way than its own `init(from:)`: dates, for instance, of which this library knows nothing.
  public mutating func setStrategy<T>(for type: T.Type, _ decode: (@Sendable (any Decoder) throws -> T)?) {
    special[ObjectIdentifier(type)] = decode
  }

  /// - Parameter path: Where the value is from, for the description of errors.
  public func decode<T: Decodable>(_ type: T.Type, from value: Value, at path: Path = .root) throws -> T {
    try decode(type, from: .value(value), place: NodePlace(path: path))
  }

  func decode<T: Decodable>(_ type: T.Type, from node: TreeNode, place: NodePlace) throws -> T {
    try NodeDecoder(node, options(place)).unbox(type)
  }

  /// The type in the form that a strategy gives it; nil where none does.
  func special<T>(_ type: T.Type, _ decoder: any Decoder) throws -> T? {
    try special[ObjectIdentifier(type)]?(decoder) as? T
  }

  func options(_ place: NodePlace) -> NodeDecoder.Options {
    NodeDecoder.Options(
      userInfo: userInfo, keyStrategy: keyDecodingStrategy, special: special, place: place)
  }
}

/// Where a decoder begins.
struct NodePlace: Sendable {
  /// Nil for a value that is from nowhere.
  var database: Database?
  var path: Path
}

extension Database {
  public typealias Encoder = TreeEncoder
  public typealias Decoder = TreeDecoder
}

extension ReadTransaction {
  /// The node at a path as a value of that type. Only what the type asks for is read.
  /// - Throws: `DecodingError` where the tree holds something else, with the path and both kinds in its description.
  public func decode<T: Decodable>(
    _ type: T.Type, at path: Path, decoder: TreeDecoder = TreeDecoder()
  ) throws -> T {
    try decoder.decode(type, from: .rows(self, PathKey(path)), place: NodePlace(path: path))
  }
}

extension ReadTransaction {
  func scalar(at path: PathKey) throws -> Scalar? {
    try withRows(touching: path) { rows, _ in try TreeReader.scalar(path, rows) }
  }

  func exists(at path: PathKey) throws -> Bool {
    try withRows(touching: path) { rows, _ in try TreeReader.exists(path, rows) }
  }
}
