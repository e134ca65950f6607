/// Reading the tree from its rows: what is shared by read and write transactions.
enum TreeReader {
  /// The value at a path: its subtree, read in one walk. O(size of the value).
  static func value(at path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Value {
    var builder = ValueBuilder(below: path)
    try PathTable.tree.forEach(prefix: path.bytes, in: rows) { (key, value) throws(TreeError) in
      let scalar = try Register.decodeShown(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) })
      if let scalar { builder.add(unsafe key.withUnsafeBytes { unsafe [UInt8]($0) }, scalar) }
      return true
    }
    return builder.value
  }

  /// Is there a value at the path? O(log n).
  static func exists(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    if try PathTable.tree.get(path.bytes, in: rows) != nil { return true }
    return try PathTable.tree.hasKey(strictlyExtending: path.bytes, in: rows)
  }

  /// The scalar at the path itself; nil for an object or nothing.
  static func scalar(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Scalar? {
    guard let row = try PathTable.tree.get(path.bytes, in: rows) else { return nil }
    return try Register.decodeShown(row)
  }
}

/// Puts leaves that come in key order together into a value.
struct ValueBuilder {
  private let base: Int
  /// The bytes of the path that is open, and where its components end.
  private var open: [UInt8]
  private var ends: [Int] = []
  private var members: [[Value.Object.Member]] = [[]]
  private var leaf: Value?

  init(below path: PathKey) {
    base = path.bytes.count
    open = path.bytes
  }

  mutating func add(_ key: [UInt8], _ scalar: Scalar) {
    if key.count == base {
      leaf = Value(scalar)
      return
    }
    let path = PathKey(trusted: key)
    var start = base
    var level = 0
    // Components that are open already stay open.
    while level < ends.count, let end = Optional(path.componentEnd(from: start)), end == ends[level], end < key.count,
      key[start..<end].elementsEqual(open[start..<end])
    {
      start = end
      level += 1
    }
    close(to: level)
    open.removeSubrange(start...)
    open.append(contentsOf: key[start...])
    while true {
      let end = path.componentEnd(from: start)
      if end >= key.count {
        members[members.count - 1].append(Value.Object.Member(path.key(in: start..<end), Value(scalar)))
        open.removeSubrange(start...)
        return
      }
      ends.append(end)
      members.append([])
      start = end
    }
  }

  /// Ends the objects that are open below `level`.
  private mutating func close(to level: Int) {
    while ends.count > level {
      let end = ends.removeLast()
      let start = ends.last ?? base
      let object = Value.Object(sorted: members.removeLast())
      let key = PathKey(trusted: open).key(in: start..<end)
      members[members.count - 1].append(Value.Object.Member(key, .object(object)))
    }
  }

  var value: Value {
    var copy = self
    copy.close(to: 0)
    if let leaf = copy.leaf { return leaf }
    return copy.members[0].isEmpty ? .null : .object(Value.Object(sorted: copy.members[0]))
  }
}
