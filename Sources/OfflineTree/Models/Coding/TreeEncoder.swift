/// Makes what a write takes from values of `Encodable` types; `TreeDecoder` is its other half.
///
/// What it encodes decodes as the same value, or it throws: integers beyond 64 bits, numbers that are not finite, names
/// that cannot be keys, and what a tree would lose are refused with the path and a way out. One thing is not told apart:
/// an `Optional` that holds an empty array, dictionary or object decodes as nil
/// (docs/decisions/0027-codable-and-absence.md).
///
/// - Throws: All functions throw Swift's `EncodingError`, with the node's path in its description.
public struct TreeEncoder: Sendable {
  /// What is done with elements of arrays and entries of dictionaries that are nil or empty, and of which a tree keeps
  /// nothing.
  public enum EmptyValueStrategy: Sendable {
    /// An error where the count of an array, or a key of a dictionary, would be lost.
    case refuse
    /// They go, as they do in Firebase.
    case drop
  }

  public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
  public var keyEncodingStrategy = KeyStrategy.useDefaultKeys
  public var emptyValueStrategy = EmptyValueStrategy.refuse
  private var special: [ObjectIdentifier: @Sendable (Any, any Encoder) throws -> Void] = [:]

  public init() {}

  /// Encodes a type in another way than its own `encode(to:)`: dates, for instance, of which this library knows nothing.
  public mutating func setStrategy<T>(for type: T.Type, _ encode: (@Sendable (T, any Encoder) throws -> Void)?) {
    guard let encode else {
      special[ObjectIdentifier(type)] = nil
      return
    }
    special[ObjectIdentifier(type)] = { value, encoder in
      if let value = value as? T { try encode(value, encoder) }
    }
  }

  /// - Parameter path: Where the value goes, for the description of errors.
  public func encode<T: Encodable>(_ value: T, at path: Path = .root) throws -> NewValue {
    let options = NodeEncoder.Options(
      userInfo: userInfo, keyStrategy: keyEncodingStrategy, dropsEmpty: emptyValueStrategy == .drop, special: special,
      place: path)
    let node = NewNode()
    try NodeEncoder(node, options).box(value)
    return try node.newValue(options)
  }
}

extension WriteTransaction {
  /// Puts a value at a path in place of everything that is there.
  /// - Throws: `EncodingError` for what a tree cannot hold, with the path in its description; what `setValue` throws.
  public func setValue<T: Encodable>(from value: T, at path: Path, encoder: TreeEncoder = TreeEncoder()) throws {
    try setValue(try encoder.encode(value, at: path), at: path)
  }
}
