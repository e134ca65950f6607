internal import CLMDB
internal import OfflineTree

/// An LMDB environment that is used straight through the C library, with the tables of a home.
@safe
final class RawEnvironment {
  enum Use {
    /// Looks at a file that somebody else writes, while nobody writes it.
    case watching
    case writing(StoreOptions.Durability)
  }

  let environment: OpaquePointer
  /// LMDB's numbers of the tables, in the order of `Table.allCases`.
  private(set) var tables: [MDB_dbi] = []

  /// Opens the folder of a `data.mdb`.
  init(_ folder: String, _ use: Use) throws {
    unsafe environment = try RawEnvironment.open(folder, flags: use.flags)
    let transaction = unsafe try RawEnvironment.begin(environment, UInt32(MDB_RDONLY))
    for table in Table.allCases {
      var number: MDB_dbi = 0
      try unsafe require(mdb_dbi_open(transaction, table.name, 0, &number))
      tables.append(number)
    }
    try unsafe require(mdb_txn_commit(transaction))
  }

  deinit { unsafe mdb_env_close(environment) }

  /// As much address space as a home reserves.
  static let mapSize = 64 << 30

  static func open(_ folder: String, flags: UInt32) throws -> OpaquePointer {
    var created: OpaquePointer?
    try unsafe require(mdb_env_create(&created))
    guard let environment = unsafe created else { throw RawFailure(code: MDB_PANIC) }
    try unsafe require(mdb_env_set_maxdbs(environment, 64))
    try unsafe require(mdb_env_set_mapsize(environment, mapSize))
    try unsafe require(mdb_env_open(environment, folder, flags, 0o600))
    return unsafe environment
  }

  static func begin(_ environment: OpaquePointer, _ flags: UInt32) throws -> OpaquePointer {
    var transaction: OpaquePointer?
    try unsafe require(mdb_txn_begin(environment, nil, flags, &transaction))
    guard let transaction = unsafe transaction else { throw RawFailure(code: MDB_PANIC) }
    return unsafe transaction
  }

  /// Stores the rows in one transaction each chunk, and commits.
  func apply(_ chunks: [RowChunk]) throws {
    for chunk in chunks {
      let transaction = unsafe try RawEnvironment.begin(environment, 0)
      try unsafe chunk.bytes.withUnsafeBytes { bytes in
        let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
        for row in chunk.rows {
          var key = unsafe MDB_val(mv_size: row.keyCount, mv_data: base.map { unsafe $0 + row.start })
          var value = unsafe MDB_val(
            mv_size: row.valueCount, mv_data: base.map { unsafe $0 + row.start + row.keyCount })
          let code =
            row.isDeleted
            ? unsafe mdb_del(transaction, tables[row.table], &key, nil)
            : unsafe mdb_put(transaction, tables[row.table], &key, &value, 0)
          if code != 0 { throw RawFailure(code: code) }
        }
      }
      try unsafe require(mdb_txn_commit(transaction))
    }
  }

  /// Copies every key and every value of a table into `buffer`, from its start again when it is full.
  ///
  /// - Returns: How many bytes there were.
  func copyRows(of table: Table, into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    let transaction = unsafe try RawEnvironment.begin(environment, UInt32(MDB_RDONLY))
    defer { unsafe mdb_txn_abort(transaction) }
    var opened: OpaquePointer?
    let place = Table.allCases.firstIndex(of: table) ?? 0
    try unsafe require(mdb_cursor_open(transaction, tables[place], &opened))
    guard let cursor = unsafe opened else { throw RawFailure(code: MDB_PANIC) }
    defer { unsafe mdb_cursor_close(cursor) }
    var (key, value) = unsafe (MDB_val(), MDB_val())
    var (total, offset) = (0, 0)
    while unsafe mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0 {
      let count = unsafe key.mv_size + value.mv_size
      if offset + count > buffer.count { offset = 0 }
      if let target = buffer.baseAddress {
        unsafe (target + offset).copyMemory(from: key.mv_data, byteCount: key.mv_size)
        unsafe (target + offset + key.mv_size).copyMemory(from: value.mv_data, byteCount: value.mv_size)
      }
      offset += count
      total += count
    }
    return total
  }

  /// Opens an environment, reads one key of the tree, and closes it again: the least that reading takes.
  static func openAndRead(_ folder: String, key bytes: [UInt8]) throws -> Int {
    let environment = unsafe try open(folder, flags: UInt32(MDB_NOTLS))
    defer { unsafe mdb_env_close(environment) }
    let transaction = unsafe try begin(environment, UInt32(MDB_RDONLY))
    defer { unsafe mdb_txn_abort(transaction) }
    var number: MDB_dbi = 0
    try unsafe require(mdb_dbi_open(transaction, Table.tree.name, 0, &number))
    return try unsafe bytes.withUnsafeBytes { bytes in
      var key = unsafe MDB_val(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
      var value = unsafe MDB_val()
      try unsafe require(mdb_get(transaction, number, &key, &value))
      return unsafe value.mv_size
    }
  }
}

extension RawEnvironment.Use {
  fileprivate var flags: UInt32 {
    switch self {
    case .watching: UInt32(MDB_NOTLS | MDB_RDONLY | MDB_NOLOCK)
    case .writing(.full): UInt32(MDB_NOTLS)
    case .writing(.relaxed): UInt32(MDB_NOTLS | MDB_NOMETASYNC)
    case .writing(.unsafeNoSync): UInt32(MDB_NOTLS | MDB_NOSYNC)
    }
  }
}

/// What LMDB answered.
struct RawFailure: Error, CustomStringConvertible {
  let code: Int32

  var description: String { unsafe "LMDB: \(String(cString: mdb_strerror(code)))" }
}

func require(_ code: Int32) throws {
  if code != 0 { throw RawFailure(code: code) }
}
