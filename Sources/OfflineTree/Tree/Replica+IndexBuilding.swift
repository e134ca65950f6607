/// How indexes come to be and go: in short writes, of which each says how far it came.
extension Replica {
  /// The indexes that the rules of the space name.
  private func ruleIndexes() -> [(IndexPattern, Path)] {
    guard let rules = authority.rules(Authority.Act(everything: everything)) else { return [] }
    return rules.indexes.compactMap { location, child in
      guard let pattern = try? IndexPattern(location) else { return nil }
      if child == ".value" { return (pattern, .root) }
      // What is no path orders nothing, and what orders by priority needs no index.
      guard let path = try? Path(child), !path.isRoot else { return nil }
      return (pattern, path)
    }
  }

  /// Have the rules of the home been set by a program that kept no indexes?
  var lacksIndexes: Bool { indexes.authorityVersion != authorityVersion && !ruleIndexes().isEmpty }

  /// Lets the indexes be those that the rules ask for, if the rules may have changed. Builds nothing.
  mutating func followRules(_ rows: borrowing StoreTransaction) throws(TreeError) {
    guard indexes.authorityVersion != authorityVersion else { return }
    let wanted = ruleIndexes()
    for place in indexes.definitions.indices where indexes.definitions[place].origin.contains(.rules) {
      let definition = indexes.definitions[place]
      if !wanted.contains(where: { $0 == (definition.pattern, definition.child) }) { release(place, .rules) }
    }
    for (pattern, child) in wanted { request(pattern, child, .rules) }
    indexes.authorityVersion = authorityVersion
    // Where there never were rules there is nothing to look at again.
    if authority.ruleBook.isEmpty, indexes.isUnused { return }
    try storeIndexes(rows)
  }

  /// Notes that somebody wants an index.
  mutating func request(_ pattern: IndexPattern, _ child: Path, _ origin: IndexDefinition.Origin) {
    let place = indexes.definitions.firstIndex {
      $0.pattern == pattern && $0.child == child && $0.state != .dropping
    }
    if let place { indexes.definitions[place].origin.insert(origin) } else { indexes.add(pattern, child, origin) }
  }

  /// Notes that somebody does not want an index any more. What nobody wants goes.
  mutating func release(_ place: Int, _ origin: IndexDefinition.Origin) {
    indexes.definitions[place].origin.remove(origin)
    guard indexes.definitions[place].origin.isEmpty else { return }
    indexes.definitions[place].state = .dropping
    if let touched = indexes.touched.removeValue(forKey: place) { indexes.touchedCount -= touched.count }
  }

  func storeIndexes(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, IndexSet.metaKey, indexes.encoded)
  }

  /// Everything is about to be applied anew: the tree is empty, and so is every index.
  mutating func emptyIndexes(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.clear(.index)
    indexes.touched = [:]
    indexes.touchedCount = 0
    if indexes.definitions.isEmpty { return }
    indexes.definitions.removeAll { $0.state == .dropping }
    for place in indexes.definitions.indices {
      indexes.definitions[place].built = 0
      // What is applied from now on is kept up: an index of an empty tree is ready.
      indexes.definitions[place].state = .ready
    }
    try storeIndexes(rows)
  }

  /// Gives an index a new beginning.
  mutating func restartIndex(_ place: Int) {
    var fresh = indexes.definitions[place]
    indexes.definitions[place].state = .dropping
    fresh.state = .building(after: nil)
    indexes.add(fresh.pattern, fresh.child, fresh.origin)
  }

  /// Does some of the work that is left, and notes how far it came.
  /// - Returns: Whether more is left.
  mutating func workOnIndexes(
    _ rows: borrowing StoreTransaction, isTimeUp: () -> Bool
  ) throws(TreeError) -> Bool {
    try followRules(rows)
    guard let place = indexes.definitions.firstIndex(where: { $0.state != .ready }) else { return false }
    switch indexes.definitions[place].state {
    case .building(let end): try build(place, after: end, rows, isTimeUp)
    case .dropping: try drop(place, rows, isTimeUp)
    case .ready: break
    }
    try storeIndexes(rows)
    return indexes.hasWork
  }

  /// Work between two looks at the clock.
  private static let step = 64
  /// Children in one write, at most.
  private static let buildLimit = 8_192

  private mutating func build(
    _ place: Int, after end: PathKey?, _ rows: borrowing StoreTransaction, _ isTimeUp: () -> Bool
  ) throws(TreeError) {
    let definition = indexes.definitions[place]
    var changes = IndexRowChanges()
    var last = end
    var count = 0
    var isDone = true
    try forEachChild(of: definition.pattern, after: end, rows) { (child) throws(TreeError) in
      let value = try indexValue(of: child, by: definition.child, rows)
      changes.replace(nil, by: value, of: child, in: definition.number)
      last = child
      count += 1
      guard count >= Replica.buildLimit || count.isMultiple(of: Replica.step) && isTimeUp() else { return true }
      isDone = false
      return false
    }
    // Nothing is removed: no row can be missing.
    _ = try changes.store(rows)
    indexes.definitions[place].built += UInt64(count)
    indexes.definitions[place].state = isDone ? .ready : .building(after: last)
  }

  /// Calls `body` with the children that an index orders, in the order of the tree, until it returns false.
  func forEachChild(
    of pattern: IndexPattern, after end: PathKey?, _ rows: borrowing StoreTransaction,
    _ body: (PathKey) throws(TreeError) -> Bool
  ) throws(TreeError) {
    try PathTable.tree.withCursor(in: rows) { (cursor) throws(TreeError) in
      var isFound = try cursor.seek(atLeast: end.map { $0.bytes + [0xFF] } ?? pattern.literal.bytes)
      while isFound, cursor.key.starts(with: pattern.literal.bytes) {
        let path = PathKey(trusted: cursor.keyBytes)
        if let child = pattern.child(of: path) {
          guard try body(child) else { return }
          isFound = try cursor.seek(atLeast: child.bytes + [0xFF])
        } else {
          // It is too high, or below another key than the pattern's: on with what comes after it.
          isFound = try cursor.seek(atLeast: pattern.skip(path))
        }
      }
    }
  }

  private mutating func drop(
    _ place: Int, _ rows: borrowing StoreTransaction, _ isTimeUp: () -> Bool
  ) throws(TreeError) {
    let prefix = IndexRow.prefix(indexes.definitions[place].number)
    var keys: [[UInt8]] = []
    try PathTable.index.forEach(prefix: prefix, in: rows) { (key, _) throws(TreeError) in
      keys.append(unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
      return keys.count < Replica.buildLimit
    }
    let found = keys.count
    var removed = 0
    for key in keys {
      try PathTable.index.delete(key, in: rows)
      removed += 1
      if removed.isMultiple(of: Replica.step), isTimeUp() { break }
    }
    guard removed == found, found < Replica.buildLimit else { return }
    // The places behind it move: nothing of them may be touched now.
    precondition(indexes.touchedCount == 0, "An index goes in a write of its own")
    indexes.definitions.remove(at: place)
  }
}

extension IndexPattern {
  /// The first key behind a path in which no child stands, at which one could.
  func skip(_ path: PathKey) -> [UInt8] {
    var end = literal.bytes.count
    for key in keys.drop(while: { $0 != nil }) {
      guard end < path.bytes.count else { break }
      let next = path.componentEnd(from: end)
      if let key {
        let own = path.key(in: end..<next)
        let wanted = PathKey(trusted: path.bytes[..<end]).appending(Path(trusted: [key]))
        if own < key { return wanted.bytes }
        if key < own { return PathKey(trusted: path.bytes[..<end]).bytes + [0xFF] }
      }
      end = next
    }
    // A scalar where the parent, or something above it, would be.
    return path.bytes + [0xFF]
  }
}
