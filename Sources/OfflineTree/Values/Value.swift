/// A JSON value as the tree shows it: null, a scalar, or an object whose members are in Firebase's key order.
///
/// There is no array and no empty object: an array is an object with the keys 0, 1, 2 …, and an empty one is null.
public enum Value: Sendable, Equatable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case string(String)
  /// Never empty: make it with `init(members:)`, which turns no members into null.
  case object(Object)

  public init(_ scalar: Scalar) {
    self =
      switch scalar {
      case .bool(let value): .bool(value)
      case .int(let value): .int(value)
      case .double(let value): .double(value)
      case .string(let value): .string(value)
      }
  }

  /// An object of those members that are not null, or null if there is none. Of a key's rivals the last one counts.
  /// - Complexity: O(n log n).
  public init(members: [(key: OfflineTree.Key, value: Value)]) {
    self.init(members: members.map { Object.Member($0.key, $0.value) })
  }

  /// The same for members that were made one by one.
  public init(members: [Object.Member]) {
    let object = Object(members)
    self = object.isEmpty ? .null : .object(object)
  }

  /// An object with the keys 0, 1, 2 … for those elements that are not null.
  public init(elements: some Sequence<Value>) {
    self.init(members: elements.enumerated().map { Object.Member(OfflineTree.Key(index: $0.offset), $0.element) })
  }

  /// The value, if it is a boolean, a number or a string.
  public var scalar: Scalar? {
    switch self {
    case .null, .object: nil
    case .bool(let value): .bool(value)
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .string(let value): .string(value)
    }
  }

  public var object: Object? {
    if case .object(let object) = self { object } else { nil }
  }

  public var isNull: Bool { if case .null = self { true } else { false } }

  public static func == (left: Value, right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.object(let a), .object(let b)): a == b
    default: left.scalar != nil && left.scalar == right.scalar
    }
  }

  /// The member of that name; null if there is none, or this is no object.
  /// - Complexity: O(log n).
  public subscript(key: OfflineTree.Key) -> Value { object?[key] ?? .null }

  /// The same for a text, which may be no key at all.
  public subscript(text: String) -> Value { (try? OfflineTree.Key(text)).map { self[$0] } ?? .null }

  /// The value at `path` below this one; null if there is none.
  public subscript(path: Path) -> Value { path.keys.reduce(self) { $0[$1] } }
}
