internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A place in a table's keys, which stand in byte order.
///
/// Every move checks the checksum of the record that it comes to. Valid only during the execution of the closure that
/// it is given to. `key` and `value` lie in the database: valid until the next move or the transaction's next write; to
/// ask for them after that is a precondition failure.
@safe
package struct StoreCursor: ~Copyable {
  private var handle: OpaquePointer?
  private let transaction: OpaquePointer
  private let record: WriteRecord?
  private let store: Store
  private let table: Table
  /// What had been written when the cursor came here.
  private var writes = 0
  private var currentKey = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  private var currentValue = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

  /// Whether the cursor stands on a record.
  package private(set) var isValid = false

  /// The LMDB cursor opens with the first move.
  init(_ transaction: borrowing StoreTransaction, _ table: Table) {
    unsafe self.transaction = transaction.handle
    record = transaction.record
    store = transaction.store
    self.table = table
  }

  deinit {
    if let handle = unsafe handle { unsafe mdb_cursor_close(handle) }
  }

  /// The key of the record that the cursor stands on; empty if it stands on none.
  package var key: RawSpan {
    @_lifetime(borrow self)
    get {
      requireUnmoved()
      return unsafe _overrideLifetime(currentKey.bytes, borrowing: self)
    }
  }

  /// The value of the record that the cursor stands on; empty if it stands on none.
  package var value: RawSpan {
    @_lifetime(borrow self)
    get {
      requireUnmoved()
      return unsafe _overrideLifetime(currentValue.bytes, borrowing: self)
    }
  }

  /// A copy of the key.
  package var keyBytes: [UInt8] {
    requireUnmoved()
    return unsafe [UInt8](currentKey)
  }
  /// A copy of the value.
  package var valueBytes: [UInt8] {
    requireUnmoved()
    return unsafe [UInt8](currentValue)
  }

  private func requireUnmoved() {
    guard let record else { return }
    precondition(record.writes == writes || !isValid, "Read a cursor's key and value before the next write, or move it")
  }

  /// Moves to the first record. Returns false, like every move, if there is none.
  package mutating func first() throws(TreeError) -> Bool { try move(MDB_FIRST) }
  /// Moves to the last record.
  package mutating func last() throws(TreeError) -> Bool { try move(MDB_LAST) }
  /// Moves to the record behind; to the first one if the cursor never moved.
  package mutating func next() throws(TreeError) -> Bool { try move(MDB_NEXT) }
  /// Moves to the record before; to the last one if the cursor never moved.
  package mutating func previous() throws(TreeError) -> Bool { try move(MDB_PREV) }

  /// Moves to the first record whose key is `key` or above.
  package mutating func seek(atLeast key: [UInt8]) throws(TreeError) -> Bool {
    if key.isEmpty { return try first() }
    let code = unsafe key.withUnsafeBytes { unsafe position(MDB_SET_RANGE, $0) }
    return try settle(code)
  }

  /// Moves to the last record whose key is below `key`.
  package mutating func seek(before key: [UInt8]) throws(TreeError) -> Bool {
    if key.isEmpty {
      forget()
      return false
    }
    let code = unsafe key.withUnsafeBytes { unsafe position(MDB_SET_RANGE, $0) }
    return try code == MDB_NOTFOUND ? last() : code == 0 ? previous() : settle(code)
  }

  /// Moves to the record whose key is `key`.
  package mutating func seek(exactly key: [UInt8]) throws(TreeError) -> Bool {
    let code = unsafe key.withUnsafeBytes { unsafe position(MDB_SET_KEY, $0) }
    return try settle(code)
  }

  private mutating func move(_ operation: MDB_cursor_op) throws(TreeError) -> Bool {
    try settle(unsafe position(operation, UnsafeRawBufferPointer(start: nil, count: 0)))
  }

  /// LMDB's result code; on success the current key and the raw record are set.
  private mutating func position(_ operation: MDB_cursor_op, _ target: UnsafeRawBufferPointer) -> Int32 {
    if unsafe handle == nil {
      let code = unsafe mdb_cursor_open(transaction, store.number(of: table), &handle)
      if code != 0 { return code }
    }
    var name = unsafe MDB_val(target)
    var data = unsafe MDB_val()
    let code = unsafe mdb_cursor_get(handle, &name, &data, operation)
    if code == 0 {
      unsafe currentKey = name.buffer
      unsafe currentValue = data.buffer
      writes = record?.writes ?? 0
    }
    return code
  }

  private mutating func settle(_ code: Int32) throws(TreeError) -> Bool {
    if code == 0, let value = unsafe Checksum.open(table, currentKey, currentValue) {
      unsafe currentValue = value
      isValid = true
      return true
    }
    let damagedKey = code == 0 ? keyBytes : []
    forget()
    if code == MDB_NOTFOUND { return false }
    throw asTransaction { $0.cursorFailure(code, table, damagedKey) }
  }

  private mutating func forget() {
    isValid = false
    unsafe currentKey = UnsafeRawBufferPointer(start: nil, count: 0)
    unsafe currentValue = UnsafeRawBufferPointer(start: nil, count: 0)
  }

  private func asTransaction<R>(_ body: (borrowing StoreTransaction) -> R) -> R {
    body(unsafe StoreTransaction(handle: transaction, store: store, record: record))
  }

  /// Removes the record that the cursor stands on; `next` and `previous` then go to its neighbours.
  package mutating func deleteCurrent() throws(TreeError) {
    let record = asTransaction { $0.requireWriting() }
    precondition(isValid, "The cursor stands on no record")
    let code = unsafe mdb_cursor_del(handle, 0)
    forget()
    if code != 0 { throw asTransaction { $0.failure(code, "cannot write the table", table) } }
    record.countWrite()
  }

  /// Replaces the value of the record that the cursor stands on, and stays there.
  package mutating func putCurrent(_ value: [UInt8]) throws(TreeError) {
    precondition(isValid, "The cursor stands on no record")
    // The key lies in a page that the write may move.
    let key = keyBytes
    let code = asTransaction { transaction in
      unsafe key.withUnsafeBytes { key in
        unsafe value.withUnsafeBytes { unsafe transaction.put(table, key, $0) }
      }
    }
    if code != 0 { throw asTransaction { $0.failure(code, "cannot write the table", table) } }
    _ = try seek(exactly: key)
  }
}

extension StoreTransaction {
  /// Calls `body` with a cursor of a table; it stands nowhere yet.
  package func withCursor<R>(
    _ table: Table, _ body: (inout StoreCursor) throws(TreeError) -> R
  ) throws(TreeError) -> R {
    var cursor = StoreCursor(self, table)
    return try body(&cursor)
  }

  fileprivate func cursorFailure(_ code: Int32, _ table: Table, _ key: [UInt8]) -> TreeError {
    code == 0 ? damaged(table, key) : failure(code, "cannot read the table", table)
  }
}
