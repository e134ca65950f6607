extension PathTable {
  /// Calls `body` with a cursor of the table's logical keys; it stands nowhere yet.
  package func withCursor<R>(
    in transaction: borrowing StoreTransaction, _ body: (inout PathCursor) throws(TreeError) -> R
  ) throws(TreeError) -> R {
    var cursor = PathCursor(self, transaction)
    return try body(&cursor)
  }

  /// Calls `body` with every key that begins with `prefix` and its value, in order, until it returns false.
  ///
  /// Both lie in the database: valid during the closure, which does not write.
  package func forEach(
    prefix: [UInt8], in transaction: borrowing StoreTransaction,
    _ body: (_ key: RawSpan, _ value: RawSpan) throws(TreeError) -> Bool
  ) throws(TreeError) {
    try withCursor(in: transaction) { (cursor) throws(TreeError) in
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix), try body(cursor.key, cursor.value) {
        isFound = try cursor.next()
      }
    }
  }

  /// Whether there is a key that begins with `prefix` and is longer.
  package func hasKey(
    strictlyExtending prefix: [UInt8], in transaction: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    try withCursor(in: transaction) { (cursor) throws(TreeError) in
      guard try cursor.seek(atLeast: prefix) else { return false }
      if cursor.key.byteCount == prefix.count, cursor.key.starts(with: prefix), try !cursor.next() { return false }
      return cursor.key.starts(with: prefix)
    }
  }

  /// The first key that could stand behind `key`; the empty key's row is not found by it again.
  static func successor(of key: [UInt8]) -> [UInt8] { key.isEmpty ? [1] : key + [0] }

  /// The last key below `key`.
  package func predecessor(
    of key: [UInt8], in transaction: borrowing StoreTransaction
  ) throws(TreeError) -> [UInt8]? {
    try withCursor(in: transaction) { (cursor) throws(TreeError) in
      try cursor.seek(before: key) ? cursor.keyBytes : nil
    }
  }
}
