/// One consistent view of the tree.
///
/// Valid only during the execution of the closure that it was given to, and only on its thread.
public class ReadTransaction {
  private let stored: StoreTransaction
  private var isOver = false
  private let load: (borrowing StoreTransaction) throws -> Replica
  private var loaded: Replica?
  /// The last change whose author was looked up, and who it is.
  var lastAuthor: (dot: Dot, author: Key?)?
  var recentRuns = RecentRuns()

  init(_ rows: borrowing StoreTransaction, load: @escaping (borrowing StoreTransaction) throws -> Replica) {
    stored = rows.unsafeAlias()
    self.load = load
  }

  /// The rows as they were when the transaction began.
  var rows: StoreTransaction {
    _read {
      precondition(!isOver, "A transaction is valid only during the execution of the closure that it was given to")
      yield stored
    }
  }

  /// Called when the closure is done: whoever kept the transaction is stopped instead of reading freed pages.
  func end() { isOver = true }

  /// The state that belongs to the view; the writer's own in a write transaction.
  func replica() throws -> Replica {
    if let loaded { return loaded }
    let replica = try load(rows)
    loaded = replica
    return replica
  }

  /// Calls `body` with the rows to look at: in a write transaction those that the writes so far would leave.
  func withRows<R>(touching path: PathKey, _ body: (borrowing StoreTransaction, Replica?) throws -> R) throws -> R {
    try body(rows, nil)
  }

  /// The value at a path, null if there is none. Objects are never turned into arrays.
  /// - Complexity: O(size of the value).
  public func value(at path: Path) throws -> Value {
    let key = PathKey(path)
    return try withRows(touching: key) { rows, _ in try TreeReader.value(at: key, rows) }
  }

  /// The scalar at the path itself, or nil for an object or nothing. O(log n).
  public func scalar(at path: Path) throws -> Scalar? {
    let key = PathKey(path)
    return try withRows(touching: key) { rows, _ in try TreeReader.scalar(key, rows) }
  }

  /// Is there a value at the path? O(log n).
  public func exists(at path: Path) throws -> Bool {
    let key = PathKey(path)
    return try withRows(touching: key) { rows, _ in try TreeReader.exists(key, rows) }
  }

  /// Calls `body` with every scalar at and below a path, in key order, until it returns false.
  ///
  /// The closure does not write.
  public func forEachLeaf(at path: Path, _ body: (Path, Scalar) throws -> Bool) throws {
    let key = PathKey(path)
    try withRows(touching: key) { rows, _ in
      try rows.forEachLeaf(below: key) { bytes, scalar in try body(PathKey(trusted: bytes).path, scalar) }
    }
  }

  /// The priority that the node shows; nil where there is none or the node has no value.
  public func priority(at path: Path) throws -> Scalar? {
    let key = PathKey(path)
    return try withRows(touching: key) { rows, replica in
      guard try TreeReader.exists(key, rows) else { return nil }
      let replica = try replica ?? self.replica()
      return try replica.shownPriority(key, try replica.priorities(key, rows), rows)?.value
    }
  }

  /// Is there any priority in the tree? O(1).
  public func hasPriorities() throws -> Bool {
    try withRows(touching: .root) { rows, _ in try !PathTable.priority.isEmpty(in: rows) }
  }

  /// Everything at and below a path that is live and not shown.
  /// - Complexity: O(rows below the path).
  public func conflicts(at path: Path = .root) throws -> [Conflict] {
    let key = PathKey(path)
    return try withRows(touching: key) { rows, replica in
      try (try replica ?? self.replica()).conflicts(below: key, rows)
    }
  }

  /// The choice of a voter at a counter that counts among the voter's: -1, 0 or 1.
  public func choice(of voter: Key, at path: Path) throws -> Int {
    let key = PathKey(path)
    return try withRows(touching: key) { rows, replica in
      let replica = try replica ?? self.replica()
      let register = try replica.register(key, rows).register
      guard register.voters > 0 else { return 0 }
      return Int(try replica.ballots(of: voter, register.counter, rows).first?.choice ?? 0)
    }
  }

  /// What this replica has: the tip of every log.
  public func clock() throws -> VectorClock { try replica().clock }

  /// Hash of everything that is live: equal clocks have equal hashes.
  public func stateHash() throws -> Bytes16 { try Replica.stateHash(rows) }

  /// What the space is; nil until the first sync.
  public func genesis() throws -> Genesis? { try replica().genesis }
}

extension ReadTransaction {
  /// The keys of a node's children, in key order.
  ///
  /// - Parameters:
  ///   - after: Only keys above this one.
  ///   - before: Only keys below this one.
  ///   - reversed: From the last key down.
  ///   - limit: At most so many.
  /// - Complexity: O(keys returned · log n).
  public func keys(
    at path: Path, after: Key? = nil, before: Key? = nil, reversed: Bool = false, limit: Int = .max
  ) throws -> [Key] {
    let node = PathKey(path)
    let low = try after.map { try node.child($0).bytes + [0xFF] } ?? node.bytes
    let high = try before.map { try node.child($0).bytes } ?? node.bytes + [0xFF]
    return try withRows(touching: node) { rows, _ in
      var keys: [Key] = []
      var edge = reversed ? high : low
      while keys.count < limit, let child = try rows.child(of: node, from: edge, reversed: reversed) {
        if reversed ? child.bytes < low : child.bytes >= high { break }
        if let key = child.lastKey { keys.append(key) }
        edge = reversed ? child.bytes : child.bytes + [0xFF]
      }
      return keys
    }
  }
}

extension [UInt8] {
  fileprivate static func < (left: [UInt8], right: [UInt8]) -> Bool { left.lexicographicallyPrecedes(right) }
  fileprivate static func >= (left: [UInt8], right: [UInt8]) -> Bool { !left.lexicographicallyPrecedes(right) }
}

extension StoreTransaction {
  /// Calls `body` with the key and scalar of every leaf at and below a path, in order, until it returns false.
  func forEachLeaf(below path: PathKey, _ body: ([UInt8], Scalar) throws -> Bool) throws {
    var failure: (any Error)?
    try PathTable.tree.forEach(prefix: path.bytes, in: self) { (key, row) throws(TreeError) in
      guard let scalar = try Register.decodeShown(row) else { return true }
      do {
        return try body(unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }, scalar)
      } catch {
        failure = error
        return false
      }
    }
    if let failure { throw failure }
  }

  /// The first child of `node` whose rows are at or after `edge`, or the last one before it.
  func child(of node: PathKey, from edge: [UInt8], reversed: Bool) throws(TreeError) -> PathKey? {
    try PathTable.tree.withCursor(in: self) { (cursor) throws(TreeError) -> PathKey? in
      var isFound = try reversed ? cursor.seek(before: edge) : cursor.seek(atLeast: edge)
      if isFound, !reversed, cursor.key.byteCount == node.bytes.count { isFound = try cursor.next() }
      guard isFound else { return nil }
      let key = PathKey(trusted: cursor.keyBytes)
      guard node.isPrefix(of: key), key.bytes.count > node.bytes.count else { return nil }
      return PathKey(trusted: key.bytes[..<key.componentEnd(from: node.bytes.count)])
    }
  }
}
