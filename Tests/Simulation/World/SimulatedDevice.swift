import OfflineTree
import Replicator
import TestSupport

/// One device of a simulated history: a real database in a home of its own, its clock, its copy of the shared folder.
final class SimulatedDevice {
  let name: String
  /// Whose keys these are: a clone has those of its original.
  let person: String
  let home: String
  let clock: SimulatedClock
  let files: SimulatedFiles
  let isRelaxed: Bool
  private var opened: (database: Database, exchange: FolderExchange, replicator: Replicator)?
  private(set) var watcher: TreeWatcher?
  private let isWatched: Bool
  /// Copies of the home, by the name that a step gave them.
  var saved: [String: [String: [UInt8]]] = [:]
  /// States of the data file that a power loss may leave, oldest first.
  /// What the folder told of what keepers have.
  private var holdings = Monitor<[(PeerIdentity, VectorClock)]>([])
  private var syncedThrough: UInt64 = 0
  private var snapshots: [(commit: UInt64, data: [UInt8])] = []

  init(
    _ name: String, person: String, home: String, clock: SimulatedClock, files: SimulatedFiles, isRelaxed: Bool = false,
    isWatched: Bool = false, make: (Environment, Database.Options) throws -> Database
  ) throws {
    (self.name, self.person, self.home, self.clock, self.files) = (name, person, home, clock, files)
    self.isRelaxed = isRelaxed
    self.isWatched = isWatched
    begin(try make(clock.environment(files), Self.options(isRelaxed)))
  }

  /// Only while the home is open.
  var database: Database {
    guard let opened else { preconditionFailure("\(name) is closed") }
    return opened.database
  }

  var exchange: FolderExchange {
    guard let opened else { preconditionFailure("\(name) is closed") }
    return opened.exchange
  }

  private static func options(_ isRelaxed: Bool) -> Database.Options {
    Database.Options(durability: isRelaxed ? .relaxed : .unsafeNoSync)
  }

  private func begin(_ database: Database) {
    let replicator = Replicator(database: database)
    let holdings = Monitor<[(PeerIdentity, VectorClock)]>([])
    self.holdings = holdings
    let exchange = FolderExchange(database: database, root: SimulatedFiles.root) { event in
      if case .holds(let peer, let clock) = event { holdings.withLock { $0.append((peer, clock)) } }
    }
    exchange.smallFiles = 2
    // Who was expelled goes on all the same, in changes that are void.
    database.allowsVoidWrites = true
    if isWatched { watcher = TreeWatcher(database) }
    opened = (database, exchange, replicator)
  }

  /// Keeps what others said they have, if they keep all history.
  func noteHoldings() throws {
    let said = holdings.withLock { said in
      defer { said = [] }
      return said
    }
    for (peer, clock) in said { try replicator.keepIfKeeper(peer, clock) }
  }

  var replicator: Replicator {
    guard let opened else { preconditionFailure("\(name) is closed") }
    return opened.replicator
  }

  var time: SessionTime { SessionTime(monotonic: clock.monotonic, wall: clock.wall) }

  /// Lets go of the home. Nothing else may hold the database: its files are not to be touched while they are mapped.
  func close() {
    watcher?.stop()
    watcher = nil
    // What it has let others hear of stays synced, whatever becomes of the program.
    if let opened { syncedThrough = max(syncedThrough, opened.database.lastSyncedCommit) }
    weak let left = opened?.database
    left?.close()
    opened = nil
    for _ in 0..<5_000 where left != nil { FileSystem.pause(milliseconds: 1) }
    precondition(left == nil, "somebody holds the database of \(name)")
  }

  func open() throws {
    begin(try Database.open(at: home, environment: clock.environment(files), options: Self.options(isRelaxed)))
  }

  /// Notes what a power loss would leave: what was on the disk before what is not synced yet.
  func noteSnapshot() throws {
    guard isRelaxed else { return }
    let commit = try database.lastCommit()
    syncedThrough = max(syncedThrough, database.lastSyncedCommit)
    // What was synced cannot be lost any more.
    if let last = snapshots.lastIndex(where: { $0.commit <= syncedThrough }) { snapshots.removeFirst(last) }
    if commit == snapshots.last?.commit { return }
    snapshots.append((commit, try HomeFiles.data(of: home)))
    if snapshots.count > 8 { snapshots.removeFirst() }
  }

  /// What was there before is another history.
  func forgetSnapshots() {
    snapshots = []
    syncedThrough = 0
  }

  /// The power fails: the data file is as of one of the commits since the last that was synced.
  ///
  /// - Parameter choice: Which commit; and whether the note of the last commit, which nobody syncs, is as old as that.
  func losePower(_ choice: Int) throws {
    try noteSnapshot()
    close()
    files.losePower()
    let possible = snapshots.filter { $0.commit >= syncedThrough }
    if !possible.isEmpty {
      let left = possible[choice / 2 % possible.count]
      try HomeFiles.overwriteData(of: home, with: left.data)
      if !choice.isMultiple(of: 2) { try HomeFiles.overwriteWake(of: home, with: left.commit) }
      snapshots.removeAll { $0.commit > left.commit }
    }
    try open()
  }
}
