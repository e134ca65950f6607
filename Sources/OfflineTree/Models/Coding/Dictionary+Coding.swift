/// Dictionaries whose keys are texts, whole numbers, or what stands for one of them, are objects with those keys.
///
/// Others, and what `Codable` makes of them, are arrays in which keys and values take turns.
extension Dictionary: NodeDecodable where Value: Decodable {
  static func make(of decoder: NodeDecoder) throws -> [Key: Value]? {
    guard
      Key.self as? any NamedKey.Type != nil || Key.self is any CodingKeyRepresentable.Type
        || Key.self is any RawRepresentable.Type
    else { return nil }
    if let scalar = try decoder.node.scalar() { throw decoder.mismatch(Self.self, "an object", scalar) }
    var result: [Key: Value] = [:]
    for name in try decoder.node.keys() {
      guard let isKind = DictionaryKey<Key>.make(name.text) else { return nil }
      guard let key = isKind.key else {
        throw DecodingError.dataCorrupted(
          decoder.context("\(decoder.place) has the key \"\(name)\", which is no \(Key.self)"))
      }
      result[key] = try decoder.child(name).unbox(Value.self)
    }
    return result
  }
}

extension Dictionary: NodeEncodable where Value: Encodable {
  func encode(into encoder: NodeEncoder) throws -> Bool {
    var named: [(name: String, value: Value)] = []
    named.reserveCapacity(count)
    for (key, value) in self {
      guard let name = DictionaryKey.name(of: key) else { return false }
      named.append((name, value))
    }
    encoder.node.isDictionary = true
    encoder.node.beginMembers()
    for (name, value) in named {
      try encoder.with(encoder.node.member(NameCodingKey(name), named: name)).box(value)
    }
    return true
  }
}

/// A dictionary's key and its name in the tree.
private enum DictionaryKey<Key: Hashable> {
  /// Nil where the type's keys have no names.
  static func name(of key: Key) -> String? {
    if let key = key as? any NamedKey { return key.nodeName }
    if let key = key as? any CodingKeyRepresentable { return key.codingKey.stringValue }
    if let key = key as? any RawRepresentable { return (key.rawValue as? any NamedKey)?.nodeName }
    return nil
  }

  /// Nil where the type's keys have no names; a nil key where this name stands for none.
  static func make(_ name: String) -> (key: Key?, Void)? {
    if let type = Key.self as? any NamedKey.Type { return (type.init(nodeName: name) as? Key, ()) }
    if let type = Key.self as? any CodingKeyRepresentable.Type {
      return (type.init(codingKey: NameCodingKey(name)) as? Key, ())
    }
    if let type = Key.self as? any RawRepresentable.Type { return raw(type, name) }
    return nil
  }

  private static func raw<R: RawRepresentable>(_ type: R.Type, _ name: String) -> (key: Key?, Void)? {
    guard let rawType = R.RawValue.self as? any NamedKey.Type else { return nil }
    return ((rawType.init(nodeName: name) as? R.RawValue).flatMap(R.init(rawValue:)) as? Key, ())
  }
}

/// What a name in the tree can stand for.
private protocol NamedKey {
  var nodeName: String { get }
  init?(nodeName: String)
}

extension String: NamedKey {
  fileprivate var nodeName: String { self }
  fileprivate init?(nodeName: String) { self = nodeName }
}

extension FixedWidthInteger {
  fileprivate var nodeName: String { "\(self)" }
  /// Only the plain form: two names never stand for one number.
  fileprivate init?(nodeName: String) {
    guard let value = Self(nodeName), "\(value)" == nodeName else { return nil }
    self = value
  }
}

extension Int: NamedKey {}
extension Int8: NamedKey {}
extension Int16: NamedKey {}
extension Int32: NamedKey {}
extension Int64: NamedKey {}
extension UInt: NamedKey {}
extension UInt8: NamedKey {}
extension UInt16: NamedKey {}
extension UInt32: NamedKey {}
extension UInt64: NamedKey {}

extension Key: NamedKey {
  fileprivate var nodeName: String { text }
  fileprivate init?(nodeName: String) { try? self.init(nodeName) }
}
