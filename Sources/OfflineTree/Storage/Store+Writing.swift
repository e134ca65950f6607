internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Store {
  /// Calls `body` with a write transaction on the calling thread, and commits when it returns; a throw undoes it all.
  ///
  /// `body` runs again, in a new transaction, when the map had to grow: it changes nothing else that it does not set
  /// anew. One write transaction at a time, over all processes: the call waits for its turn.
  ///
  /// - Throws: What `body` throws; `.full` and `.inputOutput` from the commit, with nothing stored.
  package func write<R>(_ body: (borrowing StoreTransaction) throws -> R) throws -> R {
    while true {
      let size = mapSize
      if let result = try writeOnce(body) { return result }
      try growMap(from: size)
    }
  }

  /// Brings every commit to the disk, whatever the durability is.
  package func sync() throws(TreeError) {
    try requireUsable()
    _ = gate.enter()
    defer { gate.leave() }
    let code = unsafe mdb_env_sync(environment, 1)
    if code != 0 { throw Self.error(explained(code), "cannot sync the database in", path) }
  }

  /// One attempt; nil if the map was too small for it.
  private func writeOnce<R>(_ body: (borrowing StoreTransaction) throws -> R) throws -> R? {
    let record = WriteRecord()
    let handle = unsafe try beginWriting()
    defer {
      writer.withLock { $0 = nil }
      gate.leave()
    }
    let result: R
    do {
      result = try body(unsafe StoreTransaction(handle: handle, store: self, record: record))
    } catch {
      unsafe mdb_txn_abort(handle)
      if record.mapIsFull { return nil }
      throw error
    }
    if record.mapIsFull || record.fatal != nil || !record.hasChanges {
      unsafe mdb_txn_abort(handle)
      if record.mapIsFull { return nil }
      if let error = record.fatal { throw error }
      return result
    }
    let code = unsafe mdb_txn_commit(handle)
    if code == MDB_MAP_FULL { return nil }
    if code != 0 { throw Self.error(explained(code), "cannot commit to the database in", path) }
    return result
  }

  private func beginWriting() throws(TreeError) -> OpaquePointer {
    let thread = pthread_self()
    let isNested = writer.withLock { $0.map { pthread_equal($0, thread) != 0 } ?? false }
    precondition(!isNested, "A write transaction cannot begin inside another one of the same store")
    while true {
      try requireUsable()
      let size = mapSize
      let isInside = gate.enter()
      var handle: OpaquePointer?
      let code = unsafe mdb_txn_begin(environment, nil, 0, &handle)
      if code == 0, let handle = unsafe handle {
        writer.withLock { $0 = thread }
        return unsafe handle
      }
      gate.leave()
      guard code == MDB_MAP_RESIZED, !isInside else { throw Self.error(code, "cannot write the database in", path) }
      try adoptMap(from: size)
    }
  }
}
