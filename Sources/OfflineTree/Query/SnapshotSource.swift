/// Where a snapshot's values come from: copies, or the rows of a commit that is held on to.
///
/// Paths are those of the tree, at or below the node that the snapshot is of.
package protocol SnapshotSource: Sendable {
  func value(at path: PathKey) throws(TreeError) -> Value
  func scalar(at path: PathKey) throws(TreeError) -> Scalar?
  func exists(at path: PathKey) throws(TreeError) -> Bool
  /// The priority that a node with a value shows.
  func priority(at path: PathKey) throws(TreeError) -> Scalar?
  /// The priorities of all nodes at and below a path.
  func priorities(below path: PathKey) throws(TreeError) -> [PathKey: Scalar]
  /// At most `limit` children in key order, behind `child`.
  func children(of path: PathKey, after child: PathKey?, limit: Int) throws(TreeError) -> [PathKey]
  /// The children in the order of priorities, if that is not the order of keys.
  func prioritizedChildren(of path: PathKey) throws(TreeError) -> [PathKey]?
}

/// A small part of the tree, copied.
struct CopiedNode: SnapshotSource {
  /// The node that was copied.
  let base: PathKey
  let copy: Value
  /// Of the nodes that have one.
  let shown: [PathKey: Scalar]

  func value(at path: PathKey) -> Value {
    guard base.isPrefix(of: path) else { return .null }
    return PathKey(trusted: path.bytes[base.bytes.count...]).path.keys.reduce(copy) { $0[$1] }
  }

  func scalar(at path: PathKey) -> Scalar? { value(at: path).scalar }
  func exists(at path: PathKey) -> Bool { !value(at: path).isNull }
  func priority(at path: PathKey) -> Scalar? { shown[path] }

  func priorities(below path: PathKey) -> [PathKey: Scalar] { shown.filter { path.isPrefix(of: $0.key) } }

  func children(of path: PathKey, after child: PathKey?, limit: Int) -> [PathKey] {
    let members = value(at: path).object?.members ?? []
    let children = members.lazy.map { path.appending(Path(trusted: [$0.key])) }
    guard let child else { return Array(children.prefix(limit)) }
    return Array(children.drop { !(child < $0) }.prefix(limit))
  }

  func prioritizedChildren(of path: PathKey) -> [PathKey]? {
    if shown.isEmpty { return nil }
    let entries = children(of: path, after: nil, limit: .max).map { QueryEntry($0, IndexValue(shown[$0])) }
    return entries.contains { $0.value != .null } ? entries.sorted { $0.isBefore($1) }.map(\.path) : nil
  }
}

/// A source that nothing can be read from any more.
struct FailedSource: SnapshotSource {
  let error: TreeError

  func value(at path: PathKey) throws(TreeError) -> Value { throw error }
  func scalar(at path: PathKey) throws(TreeError) -> Scalar? { throw error }
  func exists(at path: PathKey) throws(TreeError) -> Bool { throw error }
  func priority(at path: PathKey) throws(TreeError) -> Scalar? { throw error }
  func priorities(below path: PathKey) throws(TreeError) -> [PathKey: Scalar] { throw error }
  func children(of path: PathKey, after child: PathKey?, limit: Int) throws(TreeError) -> [PathKey] { throw error }
  func prioritizedChildren(of path: PathKey) throws(TreeError) -> [PathKey]? { throw error }
}
