internal import CLMDB
internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension RowChunk {
  /// What makes the rows of `older` those of `newer`.
  init(from older: RawEnvironment, to newer: RawEnvironment) throws {
    let old = unsafe try RawEnvironment.begin(older.environment, UInt32(MDB_RDONLY))
    defer { unsafe mdb_txn_abort(old) }
    let new = unsafe try RawEnvironment.begin(newer.environment, UInt32(MDB_RDONLY))
    defer { unsafe mdb_txn_abort(new) }
    for table in older.tables.indices {
      let left = unsafe try RowCursor(old, older.tables[table])
      let right = unsafe try RowCursor(new, newer.tables[table])
      compare(left, right, table)
    }
  }

  private mutating func compare(_ left: RowCursor, _ right: RowCursor, _ table: Int) {
    left.next()
    right.next()
    while left.isThere || right.isThere {
      let order = RowCursor.order(left, right)
      if order < 0 {
        unsafe add(table, key: left.key, value: nil, isOverwrite: false)
      } else if order > 0 {
        unsafe add(table, key: right.key, value: right.value, isOverwrite: false)
      } else if unsafe !RowCursor.areEqual(left.value, right.value) {
        unsafe add(table, key: right.key, value: right.value, isOverwrite: true)
      }
      if order <= 0 { left.next() }
      if order >= 0 { right.next() }
    }
  }
}

/// Walks over the rows of one table; valid as long as its transaction.
@safe
private final class RowCursor {
  private let cursor: OpaquePointer
  private var name = unsafe MDB_val()
  private var data = unsafe MDB_val()
  private(set) var isThere = false

  init(_ transaction: OpaquePointer, _ table: MDB_dbi) throws {
    var opened: OpaquePointer?
    try unsafe require(mdb_cursor_open(transaction, table, &opened))
    guard let opened = unsafe opened else { throw RawFailure(code: MDB_PANIC) }
    unsafe cursor = unsafe opened
  }

  deinit { unsafe mdb_cursor_close(cursor) }

  var key: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: name.mv_data, count: name.mv_size) }
  var value: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(start: data.mv_data, count: data.mv_size) }

  func next() { isThere = unsafe mdb_cursor_get(cursor, &name, &data, MDB_NEXT) == 0 }

  /// LMDB's order of keys; what has ended stands behind everything.
  static func order(_ left: RowCursor, _ right: RowCursor) -> Int {
    guard left.isThere, right.isThere else { return left.isThere ? -1 : 1 }
    let (a, b) = unsafe (left.key, right.key)
    let shorter = min(a.count, b.count)
    if let x = a.baseAddress, let y = b.baseAddress {
      let order = unsafe memcmp(x, y, shorter)
      if order != 0 { return Int(order) }
    }
    return a.count - b.count
  }

  static func areEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let x = left.baseAddress, let y = right.baseAddress else { return true }
    return unsafe memcmp(x, y, left.count) == 0
  }
}
