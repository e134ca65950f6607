/// The nodes whose children an index orders: a path in which a key that begins with "$", or "*", stands for any key.
package struct IndexPattern: Hashable, Sendable {
  /// Nil stands for any key.
  let keys: [Key?]
  /// The keys before the first that stands for any.
  let literal: PathKey

  init(_ keys: [Key?]) {
    self.keys = keys
    literal = PathKey(Path(trusted: keys.prefix { $0 != nil }.compactMap { $0 }))
  }

  /// Parses "jokes" or "users/$user/jokes".
  /// - Throws: `invalidArgument` for a key that cannot be one, `limitExceeded` beyond `Limits.pathLevels`.
  package init(_ text: String) throws(TreeError) {
    var keys: [Key?] = []
    for part in text.split(separator: "/") {
      keys.append(part.utf8.first == UInt8(ascii: "$") || part == "*" ? nil : try Key(String(part)))
    }
    try Path.check(bytes: text.utf8.count, levels: keys.count + 1)
    self.init(keys)
  }

  /// The child of a matching node that a path is at or in; nil for a path elsewhere.
  func child(of path: PathKey) -> PathKey? {
    guard literal.isPrefix(of: path) else { return nil }
    var end = literal.bytes.count
    if keys.allSatisfy({ $0 != nil }) {
      guard end < path.bytes.count else { return nil }
      return PathKey(trusted: path.bytes[..<path.componentEnd(from: end)])
    }
    for key in keys.drop(while: { $0 != nil }) {
      guard end < path.bytes.count else { return nil }
      let next = path.componentEnd(from: end)
      if let key, path.key(in: end..<next) != key { return nil }
      end = next
    }
    guard end < path.bytes.count else { return nil }
    return PathKey(trusted: path.bytes[..<path.componentEnd(from: end)])
  }

  func matches(_ parent: PathKey) -> Bool {
    let own = parent.path.keys
    return own.count == keys.count && zip(own, keys).allSatisfy { $1 == nil || $0 == $1 }
  }
}

extension IndexPattern: CustomStringConvertible {
  package var description: String { keys.map { $0?.text ?? "*" }.joined(separator: "/") }
}
