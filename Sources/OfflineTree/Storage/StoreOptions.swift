/// How a store is opened.
package struct StoreOptions: Sendable {
  /// What a commit waits for.
  package enum Durability: Sendable {
    /// A commit is on the disk when it returns.
    case full
    /// A crash of the system may undo the last commits, never more, and never tears one (LMDB's NOMETASYNC).
    case relaxed
    /// Nothing is synced: a crash of the system may destroy the database. For tests and memory-backed homes.
    case unsafeNoSync
  }

  package var durability = Durability.full
  /// Lets a database stand on a network file system, where neither its locks nor its map can be relied upon.
  package var allowsNetworkFileSystem = false
  /// Lets a database stand in a folder that another program synchronises, which tears it.
  package var allowsSyncedFolder = false
  /// Bytes of address space to reserve; nil: 64 GiB, less under a limit, or what `OFFLINETREE_MAP_SIZE` says.
  package var mapSize: Int?

  package init(durability: Durability = .full, mapSize: Int? = nil) {
    self.durability = durability
    self.mapSize = mapSize
  }
}
