/// What each operation removes and adds (docs/merge.md).
extension Replica {
  mutating func perform(
    _ operations: [Operation], _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for operation in operations {
      // What a raw change does at or below a flag has no effect: a flag is a view.
      if !operation.isOfFile, declarations.isFlagged(operation.path) { continue }
      switch operation {
      case .clear(let path):
        try clear(path, &acting, rows)
      case .put(let path, let value):
        try put(path, value, &acting, rows)
      case .increment(let path, let number):
        try clearAboveCounter(path, &acting, rows)
        try increment(path, number, &acting, rows)
      case .vote(let path, let voter, let choice):
        if choice != 0 { try clearAboveCounter(path, &acting, rows) }
        try vote(path, voter, choice, &acting, rows)
      case .priority(let path, let value):
        try setPriority(path, value, &acting, rows)
      case .file(let name, let content):
        try setFile(name, content, &acting, rows)
      }
    }
    for element in acting.contested { try reviewElement(element, &acting, rows) }
    try uncover(&acting, rows)
    try settleIndexesIfMany(rows)
  }

  private mutating func clear(
    _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    // Nothing in an add-only element is ever cleared.
    if declarations.isInElement(path) { return }
    try clearAtAndBelow(path, &acting, rows)
  }

  private mutating func put(
    _ path: PathKey, _ value: Scalar, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let version = Version(stamp: acting.stamp, dot: acting.dot, value: value)
    if let element = declarations.element(of: path)?.path {
      let isFirst = acting.creates[element] == nil
      guard try creates(element, &acting, rows) else { return }
      if isFirst {
        try clearAbove(element, &acting, rows)
        try hideAbove(element, rows)
      }
      if acting.fresh.contains(element) { return try putAlone(version, at: path, rows) }
    } else {
      if try isAlone(path, rows) { return try putAlone(version, at: path, rows) }
      try clearBelow(path, &acting, rows)
      try clearPriorities(path, &acting, rows)
      try clearAbove(path, &acting, rows)
    }
    var found = try register(path, rows)
    let counted = found.register.counts(try view(path, found.register, rows))
    if !declarations.isInElement(path) { try removeSeen(path, &found.register, &acting, rows) }
    add(version, at: path, to: &found.register)
    try place(path, found, &acting, rows)
    try reviewFlags(path, found.register, counted: counted, &acting, rows)
  }

  /// Is nothing at, above or below the path, of whatever kind? One walk to the row's place.
  private func isAlone(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    guard try PathTable.hidden.isEmpty(in: rows), try PathTable.priority.isEmpty(in: rows) else { return false }
    return try PathTable.tree.withCursor(in: rows) { (cursor) throws(TreeError) in
      let isFound = try cursor.seek(atLeast: path.bytes)
      if isFound, cursor.key.starts(with: path.bytes) { return false }
      guard try isFound ? cursor.previous() : cursor.last() else { return true }
      return !path.starts(with: cursor.key)
    }
  }

  /// Puts where nothing is: the register is the one version, and shows.
  private mutating func putAlone(
    _ version: Version, at path: PathKey, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try willChange(path, rows)
    var register = Register()
    add(version, at: path, to: &register)
    var writer = ByteWriter(capacity: 64)
    register.encode(shown: version.value, to: &writer)
    try PathTable.tree.put(path.bytes, writer.bytes, in: rows)
    touched.insert(path)
  }

  mutating func add(_ version: Version, at path: PathKey, to register: inout Register) {
    let place = register.versions.firstIndex { isNewer(version, than: $0) } ?? register.versions.count
    register.versions.insert(version, at: place)
    hash.add(.version(path, version, log: logs[version.dot.log].id))
  }

  /// Removes what the change had seen at `path` and everywhere below, add-only elements aside.
  private mutating func clearAtAndBelow(
    _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var found = try register(path, rows)
    if found.place != .nowhere {
      try removeSeen(path, &found.register, &acting, rows)
      try place(path, found, &acting, rows)
    }
    try clearBelow(path, &acting, rows)
    try clearPriorities(path, &acting, rows)
  }

  /// Removes what the change had seen strictly below `path`. Looks at every row there, since unseen ones must survive.
  private mutating func clearBelow(
    _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for table in [PathTable.tree, .hidden] {
      if table.table == .hidden, try table.isEmpty(in: rows) { continue }
      var next = path.bytes
      while let key = try Replica.row(table, strictlyExtending: path.bytes, from: next, rows) {
        let below = PathKey(trusted: key)
        if let end = endOfSet(around: below) {
          next = end
          continue
        }
        next = PathTable.successor(of: key)
        var found = try register(below, rows)
        // A flag is a view of votes: it goes with them, not with a clear.
        if found.isFlag { continue }
        try removeSeen(below, &found.register, &acting, rows)
        try place(below, found, &acting, rows)
      }
    }
  }

  /// If the path is in an element of an add-only set: the first key behind the whole set.
  private func endOfSet(around path: PathKey) -> [UInt8]? {
    guard let element = declarations.element(of: path)?.path, let set = element.parent else { return nil }
    return set.bytes + [0xFF]
  }

  private static func row(
    _ table: PathTable, strictlyExtending prefix: [UInt8], from start: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [UInt8]? {
    try table.withCursor(in: rows) { (cursor) throws(TreeError) -> [UInt8]? in
      guard try cursor.seek(atLeast: start) else { return nil }
      if cursor.key.byteCount == prefix.count, try !cursor.next() { return nil }
      return cursor.key.starts(with: prefix) ? cursor.keyBytes : nil
    }
  }

  /// Removes the scalars and parts that the change had seen above `path`, add-only elements aside.
  private mutating func clearAbove(
    _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    // At most one row of the tree can be above: the one just before.
    if let above = try PathTable.tree.predecessor(of: path.bytes, in: rows), PathKey(trusted: above).isPrefix(of: path)
    {
      try clearOne(PathKey(trusted: above), &acting, rows)
    }
    if try PathTable.hidden.isEmpty(in: rows) { return }
    for ancestor in path.ancestors { try clearOne(ancestor, &acting, rows) }
  }

  /// The same for an addition at a counter. A row that shows already has nothing above it in the tree.
  private mutating func clearAboveCounter(
    _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if declarations.isInElement(path) { return }
    if try PathTable.hidden.isEmpty(in: rows) {
      if counters.registers[path] != nil { return }
      if try PathTable.tree.withValue(path.bytes, in: rows, { _ in }) != nil { return }
    }
    try clearAbove(path, &acting, rows)
  }

  private mutating func clearOne(
    _ path: PathKey, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if declarations.isInElement(path) { return }
    var found = try register(path, rows)
    guard found.place != .nowhere, !found.isFlag else { return }
    try removeSeen(path, &found.register, &acting, rows)
    try place(path, found, &acting, rows)
  }

  /// Takes out of a register what the change had seen.
  mutating func removeSeen(
    _ path: PathKey, _ register: inout Register, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for version in register.versions where acting.sees(version) {
      hash.remove(.version(path, version, log: logs[version.dot.log].id))
    }
    register.versions.removeAll { acting.sees($0) }
    if register.increments > 0 { try removeSeenParts(path, &register, &acting, rows) }
    if register.voters > 0 { try removeSeenBallots(path, &register, &acting, rows) }
  }
}
