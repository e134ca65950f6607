/// Answers queries from the rows of the tree.
package enum QueryEngine {
  /// What a query finds, in its order.
  ///
  /// By key it reads what it returns. By another order it reads an index if there is one that is ready, and else looks
  /// at every child, and holds no more of them than the limit says.
  /// - Complexity: O(found · log n) by key or with an index, O(children · log n) without.
  static func window(
    _ query: QueryParameters, at parent: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> QueryWindow {
    switch query.order {
    case .key: return QueryWindow(try keyEntries(query, at: parent, rows))
    case .priority: return try priorityWindow(query, at: parent, rows, replica)
    case .child, .value:
      if let window = try indexWindow(query, at: parent, rows, replica) { return window }
      return try scan(query, at: parent, rows, replica)
    }
  }

  /// What orders one child now; nil where there is no such child.
  static func entry(
    of child: PathKey, by order: QueryOrder, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> QueryEntry? {
    guard try TreeReader.exists(child, rows) else { return nil }
    return QueryEntry(child, try indexValue(of: child, by: order, rows, replica))
  }

  /// What orders a child that is there.
  static func indexValue(
    of child: PathKey, by order: QueryOrder, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> IndexValue {
    switch order {
    case .key: return .null
    case .value: return try TreeReader.indexValue(child, rows)
    case .child(let path): return try TreeReader.indexValue(child.appending(path), rows)
    case .priority:
      return IndexValue(try replica.shownPriority(child, try replica.priorities(child, rows), rows)?.value)
    }
  }

  /// Looks at every child.
  static func scan(
    _ query: QueryParameters, at parent: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> QueryWindow {
    var found = BoundedEntries(query)
    try rows.forEachChild(of: parent) { (child) throws(TreeError) in
      found.add(QueryEntry(child, try indexValue(of: child, by: query.order, rows, replica)))
      return true
    }
    return QueryWindow(found.ordered, isScan: true)
  }

  /// Goes along the children in key order, between the bounds: those that have nothing else to be ordered by.
  /// - Parameter isPlain: Says of a child that it is one of those.
  static func keyEntries(
    _ query: QueryParameters, at parent: PathKey, _ rows: borrowing StoreTransaction,
    where isPlain: (PathKey) throws(TreeError) -> Bool = { _ in true }
  ) throws(TreeError) -> [QueryEntry] {
    var entries: [QueryEntry] = []
    // A limit to the last ones is read from the end.
    let isBackward = query.isDescending != (query.limit?.side == .last)
    let (low, high) = query.isDescending ? (query.end, query.start) : (query.start, query.end)
    let limit = query.limit?.count ?? .max
    let (near, far) = isBackward ? (high, low) : (low, high)
    // A bound at a value, or behind all children without one, lets in all of them or none.
    for bound in [(near, !isBackward), (far, isBackward)] {
      if let given = bound.0, given.key == nil || given.value != .null,
        !given.admits(QueryEntry(parent, .null), after: bound.1)
      {
        return []
      }
    }
    let start = near?.key.flatMap { key in near?.value == .null ? key : nil }.map {
      parent.appending(Path(trusted: [$0]))
    }
    try rows.forEachChild(of: parent, from: start, reversed: isBackward) { (child) throws(TreeError) in
      let entry = QueryEntry(child, .null)
      if let near, !near.admits(entry, after: !isBackward) { return true }
      if let far, !far.admits(entry, after: isBackward) { return false }
      if try isPlain(child) { entries.append(entry) }
      return entries.count < limit
    }
    return isBackward != query.isDescending ? entries.reversed() : entries
  }
}

/// What a query found: children in its order.
package struct QueryWindow: Sendable, Hashable {
  package let entries: [QueryEntry]
  /// Was every child looked at, for want of an index?
  package let isScan: Bool

  package init(_ entries: [QueryEntry], isScan: Bool = false) {
    self.entries = entries
    self.isScan = isScan
  }
}

/// The first or last entries of those that are added in any order: no more than twice the limit are held.
struct BoundedEntries {
  private let query: QueryParameters
  private var entries: [QueryEntry] = []
  private let limit: Int
  private let isFirst: Bool

  init(_ query: QueryParameters) {
    self.query = query
    limit = query.limit?.count ?? .max
    isFirst = query.limit?.side != .last
  }

  mutating func add(_ entry: QueryEntry) {
    guard query.admits(entry) else { return }
    entries.append(entry)
    if entries.count >= 64, entries.count / 2 >= limit { cut() }
  }

  /// The entries that stay, in the query's order.
  var ordered: [QueryEntry] {
    var copy = self
    copy.cut()
    return copy.entries
  }

  private mutating func cut() {
    entries.sort(by: query.precedes)
    guard entries.count > limit else { return }
    if isFirst { entries.removeLast(entries.count - limit) } else { entries.removeFirst(entries.count - limit) }
  }
}

extension TreeReader {
  /// What a query orders by that finds this path below a child: its scalar, an object, or nothing. O(log n).
  static func indexValue(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> IndexValue {
    if path.bytes.count > PathTable.keyBytes { return .null }
    return try PathTable.tree.withCursor(in: rows) { (cursor) throws(TreeError) -> IndexValue in
      guard try cursor.seek(atLeast: path.bytes), cursor.key.starts(with: path.bytes) else { return .null }
      guard cursor.key.byteCount == path.bytes.count else { return .object }
      if let scalar = try Register.decodeShown(cursor.value) { return .scalar(scalar) }
      return .null
    }
  }
}

extension StoreTransaction {
  /// Calls `body` with every child of a node, in key order or from the last one down, until it returns false.
  ///
  /// The closure may read and does not write.
  /// - Parameter start: The child to begin at, or the one next to where it would stand.
  func forEachChild(
    of node: PathKey, from start: PathKey? = nil, reversed: Bool = false,
    _ body: (PathKey) throws(TreeError) -> Bool
  ) throws(TreeError) {
    try PathTable.tree.withCursor(in: self) { (cursor) throws(TreeError) in
      let base = node.bytes.count
      var isFound =
        try reversed
        ? cursor.seek(before: (start?.bytes ?? node.bytes) + [0xFF]) : cursor.seek(atLeast: start?.bytes ?? node.bytes)
      while isFound, cursor.key.starts(with: node.bytes) {
        if cursor.key.byteCount == base {
          // The node itself is a scalar, and has no children.
          return
        }
        let end = PathKey.componentEnd(in: cursor.key, from: base)
        let child = PathKey(trusted: unsafe cursor.key.extracting(0..<end).withUnsafeBytes { unsafe [UInt8]($0) })
        guard try body(child) else { return }
        isFound = try reversed ? cursor.seek(before: child.bytes) : cursor.seek(atLeast: child.bytes + [0xFF])
      }
    }
  }
}

extension PathKey {
  /// The path below this one; what is too long or too deep to stand in the tree is found nowhere.
  package func appending(_ path: Path) -> PathKey { PathKey(trusted: bytes + PathKey(path).bytes) }
}
