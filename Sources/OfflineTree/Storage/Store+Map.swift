internal import CLMDB
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Store {
  /// Bytes of address space that the map has now.
  ///
  /// Our own note of it: LMDB reads its answer in the map, which another thread may be changing.
  package var mapSize: Int { currentMapSize.load(ordering: .acquiring) }

  /// Bytes that the newest commit uses, of whatever process. Only while the map cannot change.
  private var usedBytes: Int {
    var status = MDB_stat()
    unsafe mdb_env_stat(environment, &status)
    var information = unsafe MDB_envinfo()
    unsafe mdb_env_info(environment, &information)
    return unsafe (information.me_last_pgno + 1) * Int(status.ms_psize)
  }

  /// Doubles the map, unless it has another size than the caller saw: then somebody else grew it.
  func growMap(from seen: Int) throws(TreeError) {
    try gate.withNobodyInside { () throws(TreeError) in
      if mapSize == seen { try setMapSize(seen * 2) }
    }
  }

  /// Makes the map large enough for what another process has written.
  func adoptMap(from seen: Int) throws(TreeError) {
    try gate.withNobodyInside { () throws(TreeError) in
      if mapSize != seen { return }
      var size = seen
      let used = usedBytes
      while size < used { size *= 2 }
      try setMapSize(size == seen ? seen * 2 : size)
    }
  }

  private func setMapSize(_ size: Int) throws(TreeError) {
    // LMDB gives up the old map before it asks for the new one: ask first whether there is room.
    let probe = unsafe mmap(nil, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    guard unsafe probe != MAP_FAILED, let probe = unsafe probe else { throw noRoom(size) }
    unsafe munmap(probe, size)
    let code = unsafe mdb_env_set_mapsize(environment, size)
    if code == 0 { return currentMapSize.store(size, ordering: .releasing) }
    let error = noRoom(size)
    lost.withLock { $0 = error }
    throw error
  }

  private func noRoom(_ size: Int) -> TreeError {
    TreeError(
      .full, "The database in \(path) cannot grow: there is no address space of \(size) bytes",
      advice: "Raise the limit of address space (ulimit -v), and open it again")
  }
}
