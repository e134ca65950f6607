internal import CLMDB

/// Read transactions that stand ready: each keeps its slot in the table of readers.
@safe
struct IdleReaders {
  private var handles = unsafe [OpaquePointer]()
  private static let limit = 64

  mutating func take() -> OpaquePointer? { unsafe handles.popLast() }

  /// Takes back a reset transaction; false if there are enough.
  mutating func give(_ handle: OpaquePointer) -> Bool {
    if unsafe handles.count >= Self.limit { return false }
    unsafe handles.append(handle)
    return true
  }

  mutating func abortAll() {
    while let handle = unsafe handles.popLast() { unsafe mdb_txn_abort(handle) }
  }
}

extension Store {
  /// Calls `body` with a read transaction that sees the newest commit, on the calling thread.
  ///
  /// The transaction is valid only during the execution of the closure. Keep it short: what is freed meanwhile cannot
  /// be used again, and the map cannot grow. It may stand inside another one; it then may see a newer commit.
  package func read<R>(_ body: (borrowing StoreTransaction) throws -> R) throws -> R {
    let handle = unsafe try beginReading()
    defer { unsafe endReading(handle) }
    return try body(unsafe StoreTransaction(handle: handle, store: self, record: nil))
  }

  /// A transaction inside the gate, which the caller leaves.
  func beginReading() throws(TreeError) -> OpaquePointer {
    while true {
      try requireUsable()
      let size = mapSize
      let isNested = gate.enter()
      var handle = unsafe idleReaders.change { unsafe $0.take() }
      var code: Int32
      if let ready = unsafe handle {
        code = unsafe mdb_txn_renew(ready)
        if code != 0 { unsafe mdb_txn_abort(ready) }
      } else {
        code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &handle)
        if code == MDB_READERS_FULL, clearDeadReaders() {
          code = unsafe mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &handle)
        }
      }
      if code == 0, let handle = unsafe handle { return unsafe handle }
      gate.leave()
      guard code == MDB_MAP_RESIZED, !isNested else { throw Self.error(code, "cannot read the database in", path) }
      try adoptMap(from: size)
    }
  }

  private func endReading(_ handle: OpaquePointer) {
    unsafe mdb_txn_reset(handle)
    let isKept = idleReaders.change { unsafe $0.give(handle) }
    if !isKept { unsafe mdb_txn_abort(handle) }
    gate.leave()
  }

  /// Frees the slots of processes that died; whether there were any.
  private func clearDeadReaders() -> Bool {
    var dead: Int32 = 0
    return unsafe mdb_reader_check(environment, &dead) == 0 && dead > 0
  }
}
