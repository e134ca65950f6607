/// A place among the logical keys of a path table, which stand in byte order.
///
/// Valid only during the execution of the closure that it is given to. `key` and `value` are valid until the next
/// move or the transaction's next write; after a write to the same table by other means, seek again.
package struct PathCursor: ~Copyable {
  private let paths: PathTable
  private var rows: StoreCursor
  private var deep: StoreCursor
  /// The stub that `rows` stands on, while the place is among its long keys.
  private var stub: [UInt8]?
  /// The long key, brought together.
  private var longKey: [UInt8] = []
  /// Where `next` goes on after a long key was removed.
  private var removed: [UInt8]?

  init(_ paths: PathTable, _ transaction: borrowing StoreTransaction) {
    self.paths = paths
    rows = StoreCursor(transaction, paths.table)
    deep = StoreCursor(transaction, .deep)
  }

  /// Whether the cursor stands on a record.
  package var isValid: Bool { stub == nil ? rows.isValid : deep.isValid }

  /// The logical key.
  package var key: RawSpan {
    @_lifetime(borrow self)
    get {
      if stub != nil { return unsafe _overrideLifetime(longKey.span.bytes, borrowing: self) }
      let key = rows.key
      return isEmptyKey(key) ? key.extracting(first: 0) : key
    }
  }

  /// A copy of the logical key.
  package var keyBytes: [UInt8] {
    stub != nil ? longKey : isEmptyKey(rows.key) ? [] : rows.keyBytes
  }

  /// The value.
  package var value: RawSpan {
    @_lifetime(borrow self)
    get { stub == nil ? rows.value : deep.value }
  }

  /// A copy of the value.
  package var valueBytes: [UInt8] { stub == nil ? rows.valueBytes : deep.valueBytes }

  private func isEmptyKey(_ key: RawSpan) -> Bool {
    unsafe key.byteCount == 1 && key.unsafeLoad(as: UInt8.self) == 0
  }

  /// Moves to the first key. Returns false, like every move, if there is none.
  package mutating func first() throws(TreeError) -> Bool { try settleForward(rows.first()) }

  /// Moves to the last key.
  package mutating func last() throws(TreeError) -> Bool { try settleBackward(rows.last()) }

  /// Moves to the key behind; also after `deleteCurrent`.
  package mutating func next() throws(TreeError) -> Bool {
    if let key = removed { return try seek(atLeast: key) }
    if let stub {
      if try deep.next(), deep.key.starts(with: stub) { return settleDeep(in: longKey) }
    }
    return try settleForward(rows.next())
  }

  /// Moves to the key before; also after `deleteCurrent`.
  package mutating func previous() throws(TreeError) -> Bool {
    if let key = removed { return try seek(before: key) }
    if let stub {
      if try deep.previous(), deep.key.starts(with: stub) { return settleDeep(in: longKey) }
    }
    return try settleBackward(rows.previous())
  }

  /// Moves to the first key that is `key` or above.
  package mutating func seek(atLeast key: [UInt8]) throws(TreeError) -> Bool {
    if key.count <= PathTable.shortBytes { return try settleForward(rows.seek(atLeast: key)) }
    let stubKey = PathTable.stubKey(key)
    guard try rows.seek(atLeast: stubKey) else { return leave() }
    guard rows.key.equals(stubKey) else { return try settleForward(true) }
    let prefix = rows.valueBytes
    if try deep.seek(atLeast: prefix + key[PathTable.shortBytes...]), deep.key.starts(with: prefix) {
      stub = prefix
      return settleDeep(in: rows.keyBytes)
    }
    return try settleForward(rows.next())
  }

  /// Moves to the last key below `key`.
  package mutating func seek(before key: [UInt8]) throws(TreeError) -> Bool {
    if key.count <= PathTable.shortBytes { return try settleBackward(rows.seek(before: key)) }
    let stubKey = PathTable.stubKey(key)
    if try rows.seek(exactly: stubKey) {
      let prefix = rows.valueBytes
      if try deep.seek(before: prefix + key[PathTable.shortBytes...]), deep.key.starts(with: prefix) {
        stub = prefix
        return settleDeep(in: rows.keyBytes)
      }
    }
    return try settleBackward(rows.seek(before: stubKey))
  }

  /// Removes the key that the cursor stands on; `next` and `previous` then go to its neighbours.
  package mutating func deleteCurrent(in transaction: borrowing StoreTransaction) throws(TreeError) {
    precondition(isValid, "The cursor stands on no record")
    if stub == nil { return try rows.deleteCurrent() }
    let key = longKey
    _ = leave()
    try paths.delete(key, in: transaction)
    removed = key
  }

  /// Stands on a row that is no stub, or on the first of a stub's keys.
  private mutating func settleForward(_ found: Bool) throws(TreeError) -> Bool {
    _ = leave()
    guard found, rows.key.byteCount == PathTable.stubKeyBytes else { return found }
    let prefix = rows.valueBytes
    guard try deep.seek(atLeast: prefix), deep.key.starts(with: prefix) else { throw withoutKeys(prefix) }
    stub = prefix
    return settleDeep(in: rows.keyBytes)
  }

  /// Stands on a row that is no stub, or on the last of a stub's keys.
  private mutating func settleBackward(_ found: Bool) throws(TreeError) -> Bool {
    _ = leave()
    guard found, rows.key.byteCount == PathTable.stubKeyBytes else { return found }
    let prefix = rows.valueBytes
    let end = PathTable.bigEndian(try PathTable.stub(rows.value) + 1)
    guard try deep.seek(before: end), deep.key.starts(with: prefix) else { throw withoutKeys(prefix) }
    stub = prefix
    return settleDeep(in: rows.keyBytes)
  }

  /// - Parameter family: A key that begins like all long keys of the stub.
  private mutating func settleDeep(in family: [UInt8]) -> Bool {
    removed = nil
    longKey = Array(family[..<PathTable.shortBytes]) + deep.keyBytes.dropFirst(8)
    return true
  }

  private mutating func leave() -> Bool {
    stub = nil
    removed = nil
    return false
  }

  private func withoutKeys(_ stub: [UInt8]) -> TreeError {
    TreeError(
      .damaged, "The long paths \(hexadecimal(stub)) of the table \(paths.table.name) are missing",
      advice: Store.damageAdvice)
  }
}

extension RawSpan {
  fileprivate func equals(_ bytes: [UInt8]) -> Bool { byteCount == bytes.count && starts(with: bytes) }
}
