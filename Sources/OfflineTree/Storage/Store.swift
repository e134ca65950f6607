internal import CLMDB
internal import Synchronization

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// One LMDB environment: the tables of one device, in one folder.
///
/// A process has one store per folder, however often it is opened: LMDB's locks allow no second one. It closes when
/// the last reference goes. Every method may be called from any thread; each blocks on the disk.
@safe
package final class Store: @unchecked Sendable {
  // LMDB guards `environment` itself; everything else is immutable or behind a lock of its own.
  let environment: OpaquePointer
  /// LMDB's numbers of the tables, by `Table.rawValue`.
  let handles: [MDB_dbi]
  let gate = ReaderGate()
  let idleReaders = Monitor(IdleReaders())
  /// The views that outlive the calls that made them.
  let pins = Monitor(PinnedReaders())
  /// The thread inside a write transaction, to tell a nested one from a second one.
  let writer = Monitor<pthread_t?>(nil)
  /// Why no transaction can begin any more, once the map was lost.
  let lost = Monitor<TreeError?>(nil)
  /// Bytes of the map; changes only inside the gate.
  let currentMapSize: Atomic<Int>
  private let identity: FileSystem.Identity
  private let openLock: OpenLock

  /// The folder that holds the data file.
  package let path: String
  package let durability: StoreOptions.Durability

  private init(
    _ path: String, _ identity: FileSystem.Identity, _ lock: OpenLock, _ opened: Opened, _ options: StoreOptions
  ) {
    openLock = lock
    unsafe environment = opened.environment
    handles = unsafe opened.handles
    currentMapSize = unsafe Atomic(opened.mapSize)
    self.path = path
    self.identity = identity
    durability = options.durability
  }

  deinit {
    idleReaders.change { $0.abortAll() }
    unsafe mdb_env_close(environment)
    Self.registry.change { $0[identity] = nil }
  }

  /// Opens the store in a folder, which exists; makes its tables if they are missing.
  ///
  /// - Throws: `.damaged` for a file that LMDB could not survive, `.refused` on a network file system or in a synced
  ///   folder, `.invalidArgument` if this process has it open with another durability.
  package static func open(_ path: String, options: StoreOptions = StoreOptions()) throws(TreeError) -> Store {
    let identity = try FileSystem.identity(path)
    let existing = registry.wait { entries -> Store?? in
      guard let entry = entries[identity] else {
        entries[identity] = Entry()
        return .some(nil)
      }
      // An entry without a store is being opened or closed by another thread.
      return entry.store.map { .some($0) }
    }
    if let existing {
      guard existing.durability == options.durability else {
        throw TreeError(
          .invalidArgument, "\(path) is open in this process with the durability \(existing.durability)",
          advice: "Open it with the same one")
      }
      return existing
    }
    do throws(TreeError) {
      let lock = try OpenLock(path, isAlone: false)
      let store = unsafe Store(path, identity, lock, try openEnvironment(path, options), options)
      registry.change { $0[identity]?.store = store }
      return store
    } catch {
      registry.change { $0[identity] = nil }
      throw error
    }
  }

  /// Runs `body` while this process has no store in a folder, and can open none.
  ///
  /// - Throws: `unavailable` if it has one.
  static func withoutStore<R>(_ path: String, _ body: () throws -> R) throws -> R {
    let identity = try FileSystem.identity(path)
    let isFree = registry.change { entries in
      if entries[identity] != nil { return false }
      entries[identity] = Entry()
      return true
    }
    guard isFree else {
      throw TreeError(.unavailable, "\(path) is open in this process", advice: "Close it first.")
    }
    defer { registry.change { $0[identity] = nil } }
    return try body()
  }

  private struct Entry {
    weak var store: Store?
  }

  private static let registry = Monitor<[FileSystem.Identity: Entry]>([:])

  /// Throws if the map was lost.
  func requireUsable() throws(TreeError) {
    if let error = lost.withLock({ $0 }) { throw error }
  }
}
