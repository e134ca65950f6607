/// How the rows of indexes follow the tree, in the transaction of each write.
///
/// Whatever changes a row of the table `tree` says so before; at the end of the write the children that it was in get
/// the rows that they have now in place of those that they had. In between nobody reads the indexes.
extension Replica {
  /// A row of the tree is about to change.
  mutating func willChange(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) {
    for place in indexes.definitions.indices {
      guard let child = indexes.definitions[place].pattern.child(of: path), indexes.definitions[place].covers(child),
        indexes.touched[place]?[child] == nil
      else { continue }
      let before = try indexValue(of: child, by: indexes.definitions[place].child, rows)
      indexes.touched[place, default: [:]].updateValue(before, forKey: child)
      indexes.touchedCount += 1
    }
  }

  /// Brings the rows of what was touched up to date where that has become much. Only between changes of rows.
  mutating func settleIndexesIfMany(_ rows: borrowing StoreTransaction) throws(TreeError) {
    if indexes.touchedCount > IndexSet.touchedLimit { try settleIndexes(rows) }
  }

  /// Brings the rows of everything that was touched up to date.
  mutating func settleIndexes(_ rows: borrowing StoreTransaction) throws(TreeError) {
    if indexes.touchedCount == 0 { return }
    var changes = IndexRowChanges()
    for (place, children) in indexes.touched {
      let definition = indexes.definitions[place]
      for (child, before) in children {
        let now = try indexValue(of: child, by: definition.child, rows)
        if now != before { changes.replace(before, by: now, of: child, in: definition.number) }
      }
    }
    indexes.touched = [:]
    indexes.touchedCount = 0
    let damaged = try changes.store(rows)
    if damaged.isEmpty { return }
    // An index is made of the tree: nothing is lost with it, and no write fails for it. Until it is made anew, queries
    // look at every child.
    for number in damaged {
      let place = indexes.definitions.firstIndex { $0.number == number && $0.state != .dropping }
      if let place { restartIndex(place) }
    }
    try storeIndexes(rows)
  }

  /// What orders a child; nil where there is no such child. Counters that are held back count.
  func indexValue(
    of child: PathKey, by path: Path, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> IndexValue? {
    let leaf = path.isRoot ? child : child.appending(path)
    if let held = counters.registers[leaf] { return IndexValue(held.scalar(try view(leaf, held, rows))) }
    let value = try TreeReader.indexValue(leaf, rows)
    if value != .null { return value }
    if path.isRoot { return nil }
    return try TreeReader.exists(child, rows) ? .null : nil
  }
}

/// Changes of rows of the table `index`, gathered so that they are made in the order of the table.
struct IndexRowChanges {
  private var removed: [(key: [UInt8], number: UInt32)] = []
  private var added: [(key: [UInt8], content: [UInt8])] = []
  /// The parent of the last child, and what its rows begin with.
  private var last: (parent: ArraySlice<UInt8>, number: UInt32, prefix: [UInt8])?

  mutating func replace(_ before: IndexValue?, by now: IndexValue?, of child: PathKey, in number: UInt32) {
    let start = child.lastStart ?? 0
    let prefix = prefix(number, child.bytes[..<start])
    let name = child.bytes[start...]
    let old = before.map { prefix + IndexRow.ordered($0) + name }
    let new = now.map { prefix + IndexRow.ordered($0) + name }
    if let old, old != new { removed.append((old, number)) }
    if let new, let now { added.append((new, IndexRow.content(now))) }
  }

  private mutating func prefix(_ number: UInt32, _ parent: ArraySlice<UInt8>) -> [UInt8] {
    if let last, last.number == number, last.parent == parent { return last.prefix }
    let prefix = IndexRow.prefix(number, PathKey(trusted: parent))
    last = (parent, number, prefix)
    return prefix
  }

  /// - Returns: The numbers of the indexes that lack a row which they should have.
  mutating func store(_ rows: borrowing StoreTransaction) throws(TreeError) -> Set<UInt32> {
    removed.sort { $0.key.lexicographicallyPrecedes($1.key) }
    added.sort { $0.key.lexicographicallyPrecedes($1.key) }
    var damaged: Set<UInt32> = []
    for (key, number) in removed where try !PathTable.index.delete(key, in: rows) { damaged.insert(number) }
    for (key, content) in added { try PathTable.index.put(key, content, in: rows) }
    return damaged
  }
}
