/// Reading the tree from its rows: what is shared by read and write transactions.
enum TreeReader {
  /// The value at a path: its subtree, read in one walk. O(size of the value).
  static func value(at path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Value {
    var builder = ValueBuilder(below: path)
    try PathTable.tree.forEach(prefix: path.bytes, in: rows) { (key, row) throws(TreeError) in
      if let scalar = try Register.decodeShown(row) { builder.add(key, Value(scalar)) }
      return true
    }
    return builder.value
  }

  /// Is there a value at the path? O(log n).
  static func exists(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    if try PathTable.tree.withValue(path.bytes, in: rows, { (_) throws(TreeError) in true }) != nil { return true }
    return try PathTable.tree.hasKey(strictlyExtending: path.bytes, in: rows)
  }

  /// The scalar at the path itself; nil for an object or nothing.
  static func scalar(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Scalar? {
    let found = try PathTable.tree.withValue(path.bytes, in: rows) { (row) throws(TreeError) in
      try Register.decodeShown(row)
    }
    return found ?? nil
  }
}

/// Puts leaves that come in key order together into a value.
struct ValueBuilder {
  private let base: Int
  private var open: OpenObjects
  private var members: [[Value.Object.Member]] = [[]]
  private var leaf: Value?

  init(below path: PathKey) {
    base = path.bytes.count
    open = OpenObjects(below: path)
  }

  mutating func add(_ key: RawSpan, _ value: Value) {
    if key.byteCount == base {
      leaf = value
      return
    }
    close(to: open.count(sharedWith: key))
    while true {
      let start = open.end
      let end = PathKey.componentEnd(in: key, from: start)
      if end >= key.byteCount {
        members[members.count - 1].append(Value.Object.Member(PathKey.key(of: key.extracting(start..<end)), value))
        return
      }
      open.open(key, to: end)
      members.append([])
    }
  }

  /// Ends the objects that are open below `count`.
  private mutating func close(to count: Int) {
    while open.count > count {
      let object = Value.Object(sorted: members.removeLast())
      members[members.count - 1].append(Value.Object.Member(open.key, .object(object)))
      open.close()
    }
  }

  var value: Value {
    var copy = self
    copy.close(to: 0)
    if let leaf = copy.leaf { return leaf }
    return copy.members[0].isEmpty ? .null : .object(Value.Object(sorted: copy.members[0]))
  }
}
