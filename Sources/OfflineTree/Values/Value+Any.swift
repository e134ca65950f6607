extension Value {
  /// The value as Firebase's SDK hands it out: nil, `Bool`, `Int`, `Double`, `String`, `[String: Any]`, and arrays.
  ///
  /// An object becomes an array if every key is a number without leading zeros and more than half of the places up to
  /// the last are taken: `[Any]` where all are, else `[Any?]`. A double without a fraction becomes an `Int` if it is one.
  /// - Complexity: O(size).
  package var any: Any? {
    switch self {
    case .null: return nil
    case .object(let object):
      let members = object.members.map { (key: $0.key, value: $0.value.any) }
      return Value.array(members) ?? Value.dictionary(members)
    default: return scalar.map(Value.any)
    }
  }

  /// The scalar as Swift's own type.
  package static func any(_ scalar: Scalar) -> Any {
    switch scalar {
    case .bool(let value): value
    case .int(let value): Int(value)
    case .double(let value): Int(exactly: value) ?? value as Any
    case .string(let value): value
    }
  }

  static func dictionary(_ members: [(key: OfflineTree.Key, value: Any?)]) -> [String: Any] {
    var result: [String: Any] = [:]
    result.reserveCapacity(members.count)
    for (key, value) in members { result[key.text] = value }
    return result
  }

  private static func array(_ members: [(key: OfflineTree.Key, value: Any?)]) -> Any? {
    guard let last = members.last.flatMap({ index(of: $0.key) }), last < 2 * members.count else { return nil }
    var elements = [Any?](repeating: nil, count: last + 1)
    for (key, value) in members {
      guard let index = index(of: key), index <= last else { return nil }
      elements[index] = value
    }
    return members.count == elements.count ? elements.compactMap { $0 } as [Any] : elements
  }

  private static func index(of key: OfflineTree.Key) -> Int? {
    let text = key.text.utf8
    guard let first = text.first, text.count <= 9, first != UInt8(ascii: "0") || text.count == 1 else { return nil }
    var number = 0
    for byte in text {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
      number = number * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return number
  }
}
