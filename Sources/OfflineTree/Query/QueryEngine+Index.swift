/// Answers from the rows of an index.
extension QueryEngine {
  /// What a query finds by an index that is ready; nil if there is none.
  static func indexWindow(
    _ query: QueryParameters, at parent: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> QueryWindow? {
    let child: Path
    switch query.order {
    case .child(let path): child = path
    case .value: child = .root
    case .key, .priority: return nil
    }
    guard let number = replica.indexes.ready(at: parent, by: child) else { return nil }
    var walk = IndexWalk(query, parent, child, prefix: IndexRow.prefix(number, parent))
    try walk.run(rows)
    return QueryWindow(walk.ordered)
  }
}

/// One way along the rows of an index, between the bounds of a query.
private struct IndexWalk {
  let query: QueryParameters
  let parent: PathKey
  let child: Path
  let prefix: [UInt8]
  /// A limit to the last ones is read from the end.
  let isBackward: Bool
  let limit: Int
  private var entries: [QueryEntry] = []

  init(_ query: QueryParameters, _ parent: PathKey, _ child: Path, prefix: [UInt8]) {
    self.query = query
    self.parent = parent
    self.child = child
    self.prefix = prefix
    isBackward = query.isDescending != (query.limit?.side == .last)
    limit = query.limit?.count ?? .max
  }

  var ordered: [QueryEntry] { isBackward != query.isDescending ? entries.reversed() : entries }

  /// Where rows begin to be admitted, or cease to be, in the order of the table.
  private func edge(_ bound: QueryBound, isLow: Bool) -> [UInt8] {
    let value = IndexRow.ordered(bound.value)
    // Rows of strings that were cut are in no order among each other: all of them are looked at.
    if IndexRow.isCut(value) { return prefix + value + (isLow ? [] : [0xFF]) }
    let base = prefix + value + (bound.key.map { PathKey(Path(trusted: [$0])).bytes } ?? [])
    return base + (bound.isInclusive == isLow ? [] : [0xFF])
  }

  mutating func run(_ rows: borrowing StoreTransaction) throws(TreeError) {
    let (low, high) = query.isDescending ? (query.end, query.start) : (query.start, query.end)
    let first = low.map { edge($0, isLow: true) } ?? prefix
    let end = high.map { edge($0, isLow: false) } ?? prefix + [0xFF]
    var cut: (start: [UInt8], entries: BoundedEntries)?
    try PathTable.index.withCursor(in: rows) { (cursor) throws(TreeError) in
      var isFound = try isBackward ? cursor.seek(before: end) : cursor.seek(atLeast: first)
      while isFound, cursor.key.starts(with: prefix) {
        let key = cursor.keyBytes
        if isBackward ? key.lexicographicallyPrecedes(first) : !key.lexicographicallyPrecedes(end) { break }
        let row = try IndexRow.decode(cursor.key, cursor.value)
        let path = PathKey(trusted: parent.bytes + key[row.child...])
        if let group = cut, row.value != nil || !key.starts(with: group.start) {
          take(group.entries)
          cut = nil
          if entries.count >= limit { return }
        }
        if let value = row.value {
          let entry = QueryEntry(path, value)
          if query.admits(entry) { entries.append(entry) }
          if entries.count >= limit { return }
        } else {
          let value = try TreeReader.indexValue(child.isRoot ? path : path.appending(child), rows)
          if cut == nil { cut = (Array(key[..<row.child]), BoundedEntries(group)) }
          cut?.entries.add(QueryEntry(path, value))
        }
        isFound = try isBackward ? cursor.previous() : cursor.next()
      }
    }
    if let group = cut, entries.count < limit { take(group.entries) }
  }

  /// The query for rows that are in no order: as many of them as are still wanted.
  private var group: QueryParameters {
    var query = query
    if let limit = query.limit { query.limit = QueryLimit(limit.count - entries.count, limit.side) }
    return query
  }

  private mutating func take(_ group: BoundedEntries) {
    let found = group.ordered
    // On the way, not in the query's order.
    entries += isBackward != query.isDescending ? found.reversed() : found
  }
}
