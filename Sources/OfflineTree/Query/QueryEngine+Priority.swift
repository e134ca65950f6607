/// Answers in the order of priorities. Children without one come first, in the order of their keys: they need no index,
/// and the others are found in the table of priorities.
extension QueryEngine {
  static func priorityWindow(
    _ query: QueryParameters, at parent: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> QueryWindow {
    let hasNone = try PathTable.priority.isEmpty(in: rows)
    func plain(_ query: QueryParameters) throws(TreeError) -> [QueryEntry] {
      try keyEntries(query, at: parent, rows) { (child) throws(TreeError) in
        if hasNone { return true }
        return try indexValue(of: child, by: .priority, rows, replica) == .null
      }
    }
    if hasNone { return QueryWindow(try plain(query)) }
    // Those without a priority are at the near end when the way goes up.
    let limit = query.limit
    let isPlainFirst = query.isDescending == (limit?.side == .last)
    var found = isPlainFirst ? try plain(query) : try prioritized(query, at: parent, rows, replica)
    var rest = query
    if let limit {
      if found.count >= limit.count { return QueryWindow(found) }
      rest.limit = QueryLimit(limit.count - found.count, limit.side)
    }
    let others = isPlainFirst ? try prioritized(rest, at: parent, rows, replica) : try plain(rest)
    found = limit?.side == .last ? others + found : found + others
    return QueryWindow(found)
  }

  /// The children that have a priority. O(priorities below the parent).
  private static func prioritized(
    _ query: QueryParameters, at parent: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> [QueryEntry] {
    var found = BoundedEntries(query)
    try PathTable.priority.withCursor(in: rows) { (cursor) throws(TreeError) in
      let base = parent.bytes.count
      var isFound = try cursor.seek(atLeast: parent.bytes)
      if isFound, cursor.key.byteCount == base, cursor.key.starts(with: parent.bytes) { isFound = try cursor.next() }
      while isFound, cursor.key.starts(with: parent.bytes) {
        let path = PathKey(trusted: cursor.keyBytes)
        let child = PathKey(trusted: path.bytes[..<path.componentEnd(from: base)])
        if child == path, try TreeReader.exists(child, rows) {
          let value = try indexValue(of: child, by: .priority, rows, replica)
          if value != .null { found.add(QueryEntry(child, value)) }
        }
        isFound = try cursor.seek(atLeast: child.bytes + [0xFF])
      }
    }
    return found.ordered
  }
}
