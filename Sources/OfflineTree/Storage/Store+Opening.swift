internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Store {
  /// What opening gives: the environment, and LMDB's numbers of the tables by `Table.rawValue`.
  @unsafe
  struct Opened {
    let environment: OpaquePointer
    let handles: [MDB_dbi]
    /// Bytes of the map, which is larger than asked for if the file is.
    let mapSize: Int
  }

  /// Readers of all processes together; the same in every program that opens the file.
  static let maximumReaders: UInt32 = 1_024
  private static let maximumTables: UInt32 = 64
  private static let leastMapSize = 1 << 20

  static func openEnvironment(_ path: String, _ options: StoreOptions) throws(TreeError) -> Opened {
    try requireLocal(path, options)
    try DataFile.check("\(path)/data.mdb")
    try LockFile.reserve("\(path)/lock.mdb")
    var mapSize = try reservation(options)
    while true {
      do throws(TreeError) {
        return unsafe try openEnvironment(path, options, mapSize: mapSize)
      } catch {
        // Other users of the address space may have left less than the limit says: ask for half, down to the least.
        guard error.code == .full, mapSize / 2 >= leastMapSize else { throw error }
        mapSize /= 2
      }
    }
  }

  private static func openEnvironment(
    _ path: String, _ options: StoreOptions, mapSize: Int
  ) throws(TreeError) -> Opened {
    var created: OpaquePointer?
    try check(unsafe mdb_env_create(&created), path)
    guard let environment = unsafe created else { throw error(ENOMEM, "cannot open the database in", path) }
    do throws(TreeError) {
      try check(unsafe mdb_env_set_maxreaders(environment, maximumReaders), path)
      try check(unsafe mdb_env_set_maxdbs(environment, maximumTables), path)
      try check(unsafe mdb_env_set_mapsize(environment, mapSize), path)
      let code = unsafe mdb_env_open(environment, path, UInt32(MDB_NOTLS) | options.durability.flags, 0o600)
      if code == ENOMEM {
        throw TreeError(
          .full, "cannot reserve \(mapSize) bytes of address space for \(path)",
          advice: "Raise the limit of address space (ulimit -v)")
      }
      try check(code, path)
      var dead: Int32 = 0
      try check(unsafe mdb_reader_check(environment, &dead), path)
      let handles = unsafe try openTables(environment, path)
      var information = unsafe MDB_envinfo()
      try check(unsafe mdb_env_info(environment, &information), path)
      return unsafe Opened(environment: environment, handles: handles, mapSize: information.me_mapsize)
    } catch {
      unsafe mdb_env_close(environment)
      throw error
    }
  }

  /// Opens every table: in a read transaction if they are all there, so that no other process' write is waited for.
  private static func openTables(_ environment: OpaquePointer, _ path: String) throws(TreeError) -> [MDB_dbi] {
    if let handles = unsafe try openTables(environment, path, creating: false) { return handles }
    return unsafe try openTables(environment, path, creating: true) ?? []
  }

  private static func openTables(
    _ environment: OpaquePointer, _ path: String, creating: Bool
  ) throws(TreeError) -> [MDB_dbi]? {
    var transaction: OpaquePointer?
    try check(unsafe mdb_txn_begin(environment, nil, creating ? 0 : UInt32(MDB_RDONLY), &transaction), path)
    var handles = [MDB_dbi](repeating: 0, count: Table.allCases.count + 1)
    for table in Table.allCases {
      let code = unsafe mdb_dbi_open(
        transaction, table.name, creating ? UInt32(MDB_CREATE) : 0, &handles[Int(table.rawValue)])
      if code == 0 { continue }
      unsafe mdb_txn_abort(transaction)
      if code == MDB_NOTFOUND, !creating { return nil }
      throw error(code, "cannot open the table \(table.name) in", path)
    }
    try check(unsafe mdb_txn_commit(transaction), path)
    return handles
  }

  private static func check(_ code: Int32, _ path: String) throws(TreeError) {
    if code != 0 { throw error(code, "cannot open the database in", path) }
  }

  /// Bytes of address space to reserve.
  private static func reservation(_ options: StoreOptions) throws(TreeError) -> Int {
    if let size = options.mapSize { return max(size, leastMapSize) }
    if let text = unsafe getenv("OFFLINETREE_MAP_SIZE") {
      guard let size = unsafe Int(String(cString: text)), size >= leastMapSize else {
        throw TreeError(
          .invalidArgument, "OFFLINETREE_MAP_SIZE is not a number of bytes of at least \(leastMapSize)",
          advice: "Correct or unset it")
      }
      return size
    }
    var limit = rlimit()
    #if canImport(Glibc)
      let isKnown = unsafe getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0
    #else
      let isKnown = unsafe getrlimit(RLIMIT_AS, &limit) == 0
    #endif
    let wanted = 64 << 30
    guard isKnown, limit.rlim_cur / 2 < UInt64(wanted) else { return wanted }
    return max(Int(limit.rlim_cur / 2) & ~0xFFFF, leastMapSize)
  }
}

extension StoreOptions.Durability {
  fileprivate var flags: UInt32 {
    switch self {
    case .full: 0
    case .relaxed: UInt32(MDB_NOMETASYNC)
    case .unsafeNoSync: UInt32(MDB_NOSYNC)
    }
  }
}
