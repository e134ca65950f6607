/// One consistent view of a node, or of a query's answer, as of one commit.
///
/// It is decoded when it is asked, and copies no more than it is asked for. A small one holds copies; a larger one holds
/// on to its commit, and is ended once 1 GiB of the database has been replaced since: then every accessor throws
/// `unavailable`, and the value can be read again. So do not keep large snapshots. May be used from any thread.
public struct DataSnapshot: Sendable {
  /// Where it is from.
  public let ref: DatabaseReference
  let source: any SnapshotSource
  let node: PathKey
  /// The children that count, of a query that leaves some out or orders them; nil for a whole node.
  let window: QueryWindow?

  /// - Parameter window: The children that count, in the query's order; nil for a whole node.
  package init(_ ref: DatabaseReference, _ source: any SnapshotSource, window: QueryWindow? = nil) {
    self.ref = ref
    self.source = source
    node = PathKey(ref.path)
    self.window = window
  }

  /// The last key of the path; empty at the root.
  public var key: String { ref.key ?? "" }

  // MARK: Values

  /// The value, as the library's own type. Null if there is none; objects are never turned into arrays.
  /// - Throws: `unavailable` once the snapshot is too old, as every accessor.
  /// - Complexity: O(size of the value).
  public func get() throws -> Value {
    guard let window else { return try source.value(at: node) }
    if window.entries.isEmpty { return .null }
    var members: [Value.Object.Member] = []
    for entry in window.entries { members.append(Value.Object.Member(entry.key, try source.value(at: entry.path))) }
    return Value(members: members)
  }

  /// The value, as Firebase's SDK hands it out: nil where there is none, `Bool`, `Int`, `Double`, `String`,
  /// `[String: Any]`, and an array where more than half of the places up to the last are taken: `[Any]`, or `[Any?]` with
  /// gaps. A double without a fraction is an `Int`.
  /// - Complexity: O(size of the value).
  public var value: Any? { get throws { try get().any } }

  /// The value with the priorities in it, and without arrays: `{".value": leaf, ".priority": p}` for a leaf that has
  /// one, `".priority"` among the children of an object that has one.
  /// - Complexity: O(size of the value).
  public func valueInExportFormat() throws -> Any? {
    let value = try get()
    return value.exported(at: node, value.isNull ? [:] : try source.priorities(below: node))
  }

  /// The priority of the node: an `Int`, a `Double` or a `String`; nil where there is none.
  public var priority: Any? { get throws { try source.priority(at: node).map(Value.any) } }

  // MARK: Children

  /// Whether there is a value. O(log n).
  public func exists() throws -> Bool {
    if let window { return !window.entries.isEmpty }
    return try source.exists(at: node)
  }

  /// Whether there are children. O(log n).
  public func hasChildren() throws -> Bool {
    if let window { return !window.entries.isEmpty }
    return try !source.children(of: node, after: nil, limit: 1).isEmpty
  }

  /// Whether there is a value at a path below the node. O(log n).
  /// - Throws: Also `invalidArgument` for a path that cannot be one.
  public func hasChild(_ path: String) throws -> Bool { try childSnapshot(forPath: path).exists() }

  /// How many children there are.
  /// - Complexity: O(children), O(1) for a query's answer.
  public var childrenCount: UInt {
    get throws {
      if let window { return UInt(window.entries.count) }
      var count: UInt = 0
      var last: PathKey?
      while true {
        let page = try source.children(of: node, after: last, limit: SnapshotChildren.pageCount)
        count += UInt(page.count)
        guard page.count == SnapshotChildren.pageCount else { return count }
        last = page.last
      }
    }
  }

  /// The children, in the query's order; in that of priorities for a whole node.
  ///
  /// They are looked for in pages while the sequence is read. Should the snapshot become too old meanwhile, the last
  /// element stands for those that were not reached: its key is empty, and its accessors throw.
  public var children: SnapshotChildren { get throws { try SnapshotChildren(self) } }

  /// The snapshot of a path below the node, such as "a/b". Of what a query left out there is nothing.
  /// - Throws: `invalidArgument` for a path that cannot be one.
  public func childSnapshot(forPath path: String) throws -> DataSnapshot {
    let below = try Path(path)
    let child = ref.child(path)
    try child.requireValid()
    if below.isRoot { return self }
    if let window {
      let first = node.appending(Path(trusted: [below.keys[0]]))
      let isIn = window.entries.contains { $0.path == first }
      return DataSnapshot(child, isIn ? source : CopiedNode(base: node, copy: .null, shown: [:]))
    }
    return DataSnapshot(child, source)
  }

  /// The snapshot of a child that is known to be there.
  func child(_ path: PathKey) -> DataSnapshot {
    var location = ref.location
    location.path = path.path
    return DataSnapshot(DatabaseReference(ref.database, location), source)
  }
}

extension Value {
  /// The value with priorities, of the node at `path`.
  fileprivate func exported(at path: PathKey, _ priorities: [PathKey: Scalar]) -> Any? {
    let priority = priorities[path].map(Value.any)
    guard let object else {
      guard let value = scalar.map(Value.any) else { return nil }
      return priority.map { [".value": value, ".priority": $0] as [String: Any] } ?? value
    }
    var members = Value.dictionary(
      object.members.map { member in
        (member.key, member.value.exported(at: path.appending(Path(trusted: [member.key])), priorities))
      })
    if let priority { members[".priority"] = priority }
    return members
  }
}
