internal import CLMDB

/// A view of one commit that outlives the call that made it.
///
/// What the commit needs cannot be used again while it is there: the store ends it once too much has been freed since.
/// It stands inside the gate only while it is read, so that the map can grow meanwhile: LMDB looks pages up from the
/// map's start anew at each access. May be used from any thread, by one at a time.
@safe
package final class PinnedReader: @unchecked Sendable {
  // `handle` is touched only inside `isEnded`'s lock, or by the last owner.
  private let handle: OpaquePointer
  private let store: Store
  private let isEnded = Monitor(false)
  /// Bytes that had been freed when it began, as `Store.pins` counts them.
  let freedBefore: UInt64

  fileprivate init(_ handle: OpaquePointer, _ store: Store, freedBefore: UInt64) {
    unsafe self.handle = handle
    self.store = store
    self.freedBefore = freedBefore
  }

  deinit {
    if !isEnded.withLock({ $0 }) { unsafe store.unpin(handle) }
  }

  /// Calls `body` with the view. It must not read the same view again, and nothing of the view may leave it.
  ///
  /// - Throws: `unavailable` if it was ended, and what `body` throws.
  package func read<R>(_ body: (borrowing StoreTransaction) throws -> R) throws -> R {
    // The gate comes first: who waits for the lock then waits for somebody inside, never for who changes the map.
    _ = store.gate.enter()
    defer { store.gate.leave() }
    return try isEnded.withLock { isEnded in
      if isEnded { throw PinnedReader.tooOld }
      return try body(unsafe StoreTransaction(handle: handle, store: store, record: nil))
    }
  }

  /// Lets go of the commit: reads throw from now on.
  package func end() {
    isEnded.withLock { isEnded in
      if isEnded { return }
      isEnded = true
      unsafe mdb_txn_abort(handle)
    }
  }

  package static let tooOld = TreeError(
    .unavailable, "the snapshot is too old: more has changed, or was read, since than is kept for it",
    advice: "Read the value again, and do not keep large snapshots.")
}

/// The views that are held on to, and how much was freed meanwhile.
struct PinnedReaders {
  private struct Entry {
    weak var reader: PinnedReader?
  }

  private var entries: [Entry] = []
  /// Bytes that commits have freed since somebody first looked.
  private(set) var freed: UInt64 = 0
  /// The last commit that was counted.
  private var counted: UInt64 = 0
  /// How much may be freed behind a view before it ends.
  var limit: UInt64 = 1 << 30

  var isEmpty: Bool { entries.isEmpty }

  /// Views at a time: each takes one of the slots that all readers of all processes share.
  static let countLimit = 256

  /// - Returns: A view that has to give way, if there are too many.
  mutating func add(_ reader: PinnedReader) -> PinnedReader? {
    entries.removeAll { $0.reader == nil }
    entries.append(Entry(reader: reader))
    return entries.count > PinnedReaders.countLimit ? entries.removeFirst().reader : nil
  }

  /// Counts what commits have freed since it was counted last; from here on where nobody has a view.
  mutating func count(_ rows: borrowing StoreTransaction) throws(TreeError) {
    if !entries.isEmpty { freed += try rows.freedBytes(after: counted) }
    counted = rows.identifier
  }

  /// Takes out the views that are too old.
  mutating func takeOld() -> [PinnedReader] {
    entries.removeAll { $0.reader == nil }
    let old = entries.compactMap(\.reader).filter { freed - $0.freedBefore >= limit }
    entries.removeAll { entry in old.contains { $0 === entry.reader } }
    return old
  }
}

extension Store {
  /// Holds on to the newest commit.
  package func pin() throws(TreeError) -> PinnedReader {
    let handle = unsafe try beginReading()
    // From here on the handle is outside the gate.
    defer { gate.leave() }
    do {
      let freed = try pins.withLock { pins in
        try pins.count(unsafe StoreTransaction(handle: handle, store: self, record: nil))
        return pins.freed
      }
      let reader = unsafe PinnedReader(handle, self, freedBefore: freed)
      pins.withLock { $0.add(reader) }?.end()
      return reader
    } catch {
      unsafe unpin(handle)
      throw error as? TreeError ?? TreeError(.internal, "a view cannot be held", underlying: "\(error)")
    }
  }

  fileprivate func unpin(_ handle: OpaquePointer) {
    unsafe mdb_txn_reset(handle)
    let isKept = idleReaders.change { unsafe $0.give(handle) }
    if !isKept { unsafe mdb_txn_abort(handle) }
  }

  /// Ends the views behind which too much was freed. Called after commits.
  ///
  /// - Returns: Whether there are any left.
  @discardableResult
  package func endOldReaders() throws -> Bool {
    if pins.withLock({ $0.isEmpty }) { return false }
    let (old, isEmpty) = try read { rows in
      try pins.withLock { pins in
        try pins.count(rows)
        return (pins.takeOld(), pins.isEmpty)
      }
    }
    for reader in old { reader.end() }
    return !isEmpty
  }

  /// Bytes that may be freed behind a view before it ends: 1 GiB.
  package var pinLimit: UInt64 {
    get { pins.withLock { $0.limit } }
    set { pins.withLock { $0.limit = newValue } }
  }
}

extension StoreTransaction {
  /// Bytes of the pages that commits after a number have freed, up to the one that this one sees.
  ///
  /// LMDB's table of free pages has a row for each: its number, a native word, and how many pages, a native word too.
  func freedBytes(after commit: UInt64) throws(TreeError) -> UInt64 {
    var cursor: OpaquePointer?
    let opened = unsafe mdb_cursor_open(handle, 0, &cursor)
    guard opened == 0, let cursor = unsafe cursor else {
      throw failure(opened, "cannot read the free pages beside", .meta)
    }
    defer { unsafe mdb_cursor_close(cursor) }
    var pages: UInt64 = 0
    var first = UInt(commit) + 1
    var code: Int32 = 0
    unsafe withUnsafeMutableBytes(of: &first) { first in
      var key = unsafe MDB_val(mv_size: first.count, mv_data: first.baseAddress)
      var data = unsafe MDB_val()
      code = unsafe mdb_cursor_get(cursor, &key, &data, MDB_SET_RANGE)
      while code == 0 {
        if unsafe data.mv_size >= MemoryLayout<UInt>.size {
          pages += unsafe UInt64(data.buffer.loadUnaligned(as: UInt.self))
        }
        code = unsafe mdb_cursor_get(cursor, &key, &data, MDB_NEXT)
      }
    }
    if code != MDB_NOTFOUND { throw failure(code, "cannot read the free pages beside", .meta) }
    var status = MDB_stat()
    let known = unsafe mdb_stat(handle, store.number(of: .meta), &status)
    if known != 0 { throw failure(known, "cannot read the table", .meta) }
    return pages * UInt64(status.ms_psize)
  }
}
