internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension StoreTransaction {
  /// Stores `value` at `key`, in place of what was there.
  ///
  /// - Parameter append: Promises that `key` is above every key of the whole table, which saves the search.
  /// - Throws: `.limitExceeded` for a key of no or more than 511 bytes, `.full`, `.inputOutput`; `.internal` for a
  ///   broken promise. After anything but a broken promise or limit, the transaction can only be aborted.
  package func put(
    _ table: Table, _ key: [UInt8], _ value: [UInt8], append: Bool = false
  ) throws(TreeError) {
    let code = unsafe key.withUnsafeBytes { key in
      unsafe value.withUnsafeBytes { unsafe put(table, key, $0, append: append) }
    }
    if code != 0 { throw failure(code, "cannot write the table", table) }
  }

  /// LMDB's result code. Neither buffer may lie in the database: pages move.
  func put(
    _ table: Table, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, append: Bool = false
  ) -> Int32 {
    let record = requireWriting()
    var name = unsafe MDB_val(key)
    var data = unsafe MDB_val(mv_size: value.count + Checksum.bytes, mv_data: nil)
    let flags = UInt32(MDB_RESERVE) | (append ? UInt32(MDB_APPEND) : 0)
    let code = unsafe mdb_put(handle, store.number(of: table), &name, &data, flags)
    if code != 0 { return code }
    record.countWrite()
    unsafe Checksum.fill(data, table, key, value)
    return 0
  }

  /// Removes `key`.
  ///
  /// - Returns: Whether it was there.
  @discardableResult
  package func delete(_ table: Table, _ key: [UInt8]) throws(TreeError) -> Bool {
    let code = unsafe key.withUnsafeBytes { unsafe delete(table, $0) }
    if code == MDB_NOTFOUND { return false }
    if code != 0 { throw failure(code, "cannot write the table", table) }
    return true
  }

  /// LMDB's result code.
  func delete(_ table: Table, _ key: UnsafeRawBufferPointer) -> Int32 {
    let record = requireWriting()
    var name = unsafe MDB_val(key)
    let code = unsafe mdb_del(handle, store.number(of: table), &name, nil)
    if code == 0 { record.countWrite() }
    return code
  }

  /// Removes every key of a table.
  package func clear(_ table: Table) throws(TreeError) {
    let record = requireWriting()
    if try isEmpty(table) { return }
    let code = unsafe mdb_drop(handle, store.number(of: table), 0)
    if code != 0 { throw failure(code, "cannot clear the table", table) }
    record.countWrite()
  }

  /// Runs `body` in a transaction inside this one: what it wrote stays if it returns, and is undone if it throws.
  ///
  /// This transaction is not to be used before `body` is done.
  package func withChild<R>(_ body: (borrowing StoreTransaction) throws -> R) throws -> R {
    let record = requireWriting()
    let hadChanges = record.hasChanges
    let child = unsafe try begin(inside: handle)
    let result: R
    do {
      result = try body(unsafe StoreTransaction(handle: child, store: store, record: record))
    } catch {
      unsafe mdb_txn_abort(child)
      record.hasChanges = hadChanges
      throw error
    }
    let code = unsafe mdb_txn_commit(child)
    if code != 0 { throw failure(code, "cannot keep what was written to the table", .meta) }
    return result
  }

  /// Runs `body` in a transaction inside this one, and undoes what it wrote: to look at what would be.
  package func withDraft<R>(_ body: (borrowing StoreTransaction) throws -> R) throws -> R {
    let record = requireWriting()
    let hadChanges = record.hasChanges
    let draft = unsafe try begin(inside: handle)
    defer {
      unsafe mdb_txn_abort(draft)
      record.hasChanges = hadChanges
    }
    return try body(unsafe StoreTransaction(handle: draft, store: store, record: record))
  }

  private func begin(inside parent: OpaquePointer) throws(TreeError) -> OpaquePointer {
    var child: OpaquePointer?
    let code = unsafe mdb_txn_begin(store.environment, parent, 0, &child)
    guard code == 0, let child = unsafe child else { throw failure(code, "cannot begin to write the table", .meta) }
    return unsafe child
  }

  func requireWriting() -> WriteRecord {
    guard let record else { preconditionFailure("A read transaction cannot write") }
    return record
  }
}

extension Checksum {
  /// Fills the room that LMDB reserved for a record.
  static func fill(_ room: MDB_val, _ table: Table, _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    let target = unsafe UnsafeMutableRawBufferPointer(start: room.mv_data, count: room.mv_size)
    unsafe target.copyMemory(from: value)
    unsafe seal(table, key, target)
  }
}
