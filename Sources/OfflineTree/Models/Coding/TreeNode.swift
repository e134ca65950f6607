/// One node, as a decoder sees it: nothing is read before a type asks for it.
enum TreeNode {
  case value(Value)
  /// Rows of a transaction, which is valid while its closure runs.
  case rows(ReadTransaction, PathKey)
  case snapshot(any SnapshotSource, PathKey)
  /// A query's answer: of the node's children only some are there.
  case answer(QueryAnswer)

  static var absent: TreeNode { .value(.null) }

  func scalar() throws -> Scalar? {
    switch self {
    case .value(let value): value.scalar
    case .rows(let transaction, let path): try transaction.scalar(at: path)
    case .snapshot(let source, let path): try source.scalar(at: path)
    case .answer: nil
    }
  }

  func exists() throws -> Bool {
    switch self {
    case .value(let value): !value.isNull
    case .rows(let transaction, let path): try transaction.exists(at: path)
    case .snapshot(let source, let path): try source.exists(at: path)
    case .answer(let answer): !answer.children.isEmpty
    }
  }

  /// The keys of the children, in key order; of a query's answer, in the query's.
  func keys() throws -> [Key] {
    switch self {
    case .value(let value): value.object?.keys ?? []
    case .rows(let transaction, let path): try transaction.keys(at: path.path)
    case .snapshot(let source, let path):
      try source.children(of: path, after: nil, limit: .max).compactMap(\.lastKey)
    case .answer(let answer): answer.children.compactMap(\.lastKey)
    }
  }

  /// The child of that name; absent for a name that cannot be a key.
  func child(_ name: String) throws -> TreeNode {
    guard let key = try? Key(name) else { return .absent }
    return try child(key)
  }

  func child(_ key: Key) throws -> TreeNode {
    switch self {
    case .value(let value): return .value(value[key])
    case .rows(let transaction, let path):
      // A child beyond the limits of paths is not there.
      guard let child = try? path.child(key) else { return .absent }
      return .rows(transaction, child)
    case .snapshot(let source, let path):
      guard let child = try? path.child(key) else { return .absent }
      return .snapshot(source, child)
    case .answer(let answer):
      guard let child = try? answer.node.child(key), answer.known.contains(child) else { return .absent }
      return .snapshot(answer.source, child)
    }
  }

  /// All of it.
  func value() throws -> Value {
    switch self {
    case .value(let value): value
    case .rows(let transaction, let path): try transaction.value(at: path.path)
    case .snapshot(let source, let path): try source.value(at: path)
    case .answer(let answer):
      Value(
        members: try answer.children.map { child in
          (key: child.lastKey ?? Key(index: 0), value: try answer.source.value(at: child))
        })
    }
  }
}

/// What a query found, for a decoder.
final class QueryAnswer {
  let source: any SnapshotSource
  let node: PathKey
  /// In the query's order.
  let children: [PathKey]
  private(set) lazy var known = Set(children)

  init(_ source: any SnapshotSource, _ node: PathKey, _ children: [PathKey]) {
    self.source = source
    self.node = node
    self.children = children
  }
}

extension TreeNode {
  /// How many elements the node has as an array, by Firebase's rule: all keys are numbers in their plain form, and the
  /// highest is below twice their count. Nil where the rule says that it is none.
  func arrayCount() throws -> Int? {
    let keys = try keys()
    guard let count = TreeNode.arrayCount(of: keys) else { return nil }
    if count == 0, try scalar() != nil { return nil }
    return count
  }

  static func arrayCount(of keys: [Key]) -> Int? {
    var highest = -1
    for key in keys {
      guard let index = arrayIndex(key) else { return nil }
      highest = max(highest, index)
    }
    return highest < 2 * keys.count ? highest + 1 : nil
  }

  /// The index that a key is: `0`, or digits that do not begin with 0.
  private static func arrayIndex(_ key: Key) -> Int? {
    let text = key.text.utf8
    guard text.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      text.count == 1 || text.first != UInt8(ascii: "0")
    else { return nil }
    return Int(key.text)
  }
}
