internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// One transaction: a frozen view of all tables, and in a write transaction the only way to change them.
///
/// Valid only during the execution of the closure that it is given to, on that closure's thread.
@safe
package struct StoreTransaction: ~Copyable {
  let handle: OpaquePointer
  let store: Store
  /// What happened in the write transaction so far; nil in a read transaction.
  let record: WriteRecord?

  /// The number of this transaction: for a read one, of the commit that it sees.
  package var identifier: UInt64 { UInt64(unsafe mdb_txn_id(handle)) }

  /// A copy of the value at `key`.
  ///
  /// - Throws: `.damaged` if the record's checksum does not fit.
  package func get(_ table: Table, _ key: [UInt8]) throws(TreeError) -> [UInt8]? {
    try withValue(table, key) { value in unsafe value.withUnsafeBytes { unsafe [UInt8]($0) } }
  }

  /// Calls `body` with the value at `key`, in place: valid during the closure, and until the transaction's next write.
  ///
  /// - Returns: What `body` returned; nil if there is no such key.
  /// - Throws: `.damaged` if the record's checksum does not fit, and what `body` throws.
  package func withValue<R>(
    _ table: Table, _ key: [UInt8], _ body: (RawSpan) throws(TreeError) -> R
  ) throws(TreeError) -> R? {
    let found = unsafe key.withUnsafeBytes { unsafe find(table, $0) }
    switch unsafe found {
    case .value(let value): return try body(unsafe value.bytes)
    case .nothing: return nil
    case .checksum: throw damaged(table, key)
    case .failed(let code): throw failure(code, "cannot read the table", table)
    }
  }

  @unsafe
  enum Found {
    case value(UnsafeRawBufferPointer)
    case nothing
    case checksum
    case failed(Int32)
  }

  func find(_ table: Table, _ key: UnsafeRawBufferPointer) -> Found {
    var name = unsafe MDB_val(key)
    var data = unsafe MDB_val()
    let code = unsafe mdb_get(handle, store.number(of: table), &name, &data)
    if code == MDB_NOTFOUND { return unsafe .nothing }
    if code != 0 { return unsafe .failed(code) }
    guard let value = unsafe Checksum.open(table, key, data.buffer) else { return unsafe .checksum }
    return unsafe .value(value)
  }

  /// How many keys a table has. Constant time.
  package func count(_ table: Table) throws(TreeError) -> Int {
    var status = MDB_stat()
    let code = unsafe mdb_stat(handle, store.number(of: table), &status)
    if code != 0 { throw failure(code, "cannot read the table", table) }
    return Int(status.ms_entries)
  }

  /// Whether a table has no key. Constant time.
  package func isEmpty(_ table: Table) throws(TreeError) -> Bool { try count(table) == 0 }
}

extension StoreTransaction {
  func damaged(_ table: Table, _ key: [UInt8]) -> TreeError {
    TreeError(
      .damaged, "The record \(hexadecimal(key)) of the table \(table.name) in \(store.path) is damaged",
      advice: Store.damageAdvice)
  }

  /// The error for an LMDB result code; a write transaction remembers what it cannot survive.
  func failure(_ code: Int32, _ doing: String, _ table: Table) -> TreeError {
    let code = store.explained(code)
    let error = Store.error(code, doing, "\(table.name) in \(store.path)")
    record?.note(code, error)
    return error
  }
}

extension Store {
  func number(of table: Table) -> MDB_dbi { handles[Int(table.rawValue)] }

  /// LMDB says EIO when a disk took only a part of what it was given: mostly the disk is full.
  func explained(_ code: Int32) -> Int32 {
    guard code == EIO, let free = try? FileSystem.freeBytes(path), free < 1 << 20 else { return code }
    return ENOSPC
  }
}

extension MDB_val {
  @unsafe
  init(_ buffer: UnsafeRawBufferPointer) {
    unsafe self.init(mv_size: buffer.count, mv_data: UnsafeMutableRawPointer(mutating: buffer.baseAddress))
  }

  @unsafe
  var buffer: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: mv_data, count: mv_size) }
}

extension StoreTransaction {
  /// The same transaction under a second name, for an object that lives no longer than the closure.
  func unsafeAlias() -> StoreTransaction { unsafe StoreTransaction(handle: handle, store: store, record: record) }
}
