internal import Dispatch

/// One device's replica of a space: the whole tree, on this disk.
///
/// Reads and writes work without a network. A write is one atomic change, durable when it returns; a read sees one
/// commit. Any number of processes may have the same home open. Every method may be called from any thread.
public final class Database: Sendable {
  public struct Options: Sendable {
    /// What a commit waits for.
    public enum Durability: Sendable {
      /// A write is on the disk when it returns.
      case full
      /// A crash of the system may undo the last writes, never more.
      case relaxed
      /// Nothing is synced: a crash of the system may destroy the home. For tests and memory-backed homes.
      case unsafeNoSync
    }

    public var durability = Durability.full
    /// Lets a home stand on a network file system, whose locks and maps cannot be relied upon.
    public var allowsNetworkFileSystem = false

    public init(durability: Durability = .full) { self.durability = durability }

    var store: StoreOptions {
      var options = StoreOptions()
      options.allowsNetworkFileSystem = allowsNetworkFileSystem
      switch durability {
      case .full: options.durability = .full
      case .relaxed: options.durability = .relaxed
      case .unsafeNoSync: options.durability = .unsafeNoSync
      }
      return options
    }
  }

  /// The folder of the home.
  public let home: String
  /// Hash of the space's genesis record.
  public let spaceID: SpaceID
  /// The Ed25519 public key of this device.
  public let deviceKey: Bytes32
  /// What people call this device.
  public var deviceName: String { name.withLock { $0 } }
  let name: Monitor<String>
  /// What only this device has.
  let keys: DeviceKeys
  /// Lets this device make changes that are void, as a changed program could: for models and tests.
  package var allowsVoidWrites: Bool {
    get { voidWrites.withLock { $0 } }
    set { voidWrites.withLock { $0 = newValue } }
  }
  private let voidWrites = Monitor(false)
  /// Names this home in shared folders; drawn anew when the home turns out to be a copy.
  package let homeToken: Bytes16
  /// Is this home a copy of another one, or an older state of itself, found when it was opened?
  package let isCopy: Bool
  package let environment: Environment

  let folder: Home
  let store: Store
  let queue: WriteQueue<Replica>
  let commits: CommitHub
  private let generator = Monitor(PushIDGenerator())
  /// The last commit that is known to be on the disk, where commits do not wait for it.
  let synced = Monitor<UInt64>(0)
  private let cached = Monitor<(transaction: UInt64, replica: Replica)?>(nil)
  let keyrings: Monitor<KeyringCache>
  let checkpointShelf = CheckpointShelf()
  let handlers = Monitor(DatabaseHandlers())
  let ownKeys = Monitor(OwnKeys())
  let attachments = Monitor<[ObjectIdentifier: any AnyObject & Sendable]>([:])
  let connectivity = Monitor(Connectivity())
  let indexBuilder: IndexBuilder
  let snapshotWatch = Monitor<CommitObservation?>(nil)

  /// A home that stands where it stood is opened without a write, and so waits for nobody's.
  init(_ home: Home, _ environment: Environment, _ options: Options) throws(TreeError) {
    let store = try home.openStore(options.store)
    let commits = try CommitHub(home)
    let wake = commits.lastKnownCommit
    let place = OpenedHome.Place(
      machine: environment.machineIdentity(), file: try FileSystem.identity("\(home.dataPath)/data.mdb"))
    let builder = IndexBuilder()
    let queue: WriteQueue<Replica>
    let seen: OpenedHome.Look
    let opened: OpenedHome
    let keys: DeviceKeys
    do {
      let identity = try store.read { rows in try Replica.identity(rows) }
      keys = try DeviceKeys.read(from: home.path, (identity.space, identity.device))
      if identity.version < Replica.formatVersion { try store.write { rows in try Replica.upgrade(rows) } }
      seen = try store.read { rows in try OpenedHome.look(at: place, wake: wake, keys, rows) }
      queue = WriteQueue(
        store, known: (seen.state, seen.commit), load: { try Replica.load($0, keys: keys) },
        beforeCommit: { rows, state in
          try state.finishCommit(rows)
          if state.indexes.hasWork { builder.ask() }
        },
        afterCommit: {
          commits.committed($0)
          builder.startIfAsked()
        })
      // Whoever throws here lets go of the queue, which ends its thread.
      opened = try seen.home ?? OpenedHome.settle(at: place, wake: wake, Bytes16(environment.randomBytes(16)), queue)
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "cannot open the home \(home.path)", underlying: "\(error)")
    }
    folder = home
    self.store = store
    self.queue = queue
    self.commits = commits
    self.environment = environment
    self.home = home.path
    spaceID = opened.space
    deviceKey = opened.device
    name = Monitor(opened.deviceName)
    self.keys = keys
    keyrings = Monitor(KeyringCache(keys))
    homeToken = opened.token
    isCopy = opened.isCopy
    cached.withLock { $0 = (seen.commit, seen.state) }
    indexBuilder = builder
    builder.attach(self)
    if seen.state.indexes.hasWork || seen.state.lacksIndexes {
      builder.ask()
      builder.startIfAsked()
    }
    disconnectDead()
  }

  deinit { queue.close() }

  /// Ends the writer; what was begun is finished first, and what was asked for with `onDisconnect…` is done. Further
  /// writes throw `unavailable`.
  public func close() {
    disconnectForGood()
    queue.close()
  }

  // MARK: Reading

  /// Calls `body` with one consistent view, on the calling thread. Keep it short: it pins the space of what is freed.
  public func read<R>(_ body: (ReadTransaction) throws -> R) throws -> R {
    try store.read { rows in
      let transaction = ReadTransaction(rows) { rows in try self.replica(rows) }
      defer { transaction.end() }
      return try body(transaction)
    }
  }

  /// The state that belongs to a view; kept until the next commit.
  func replica(_ rows: borrowing StoreTransaction) throws(TreeError) -> Replica {
    let transaction = rows.identifier
    let known = cached.withLock { $0 }
    if let known, known.transaction == transaction { return known.replica }
    let replica = try Replica.load(rows, known: known?.replica)
    cached.withLock { $0 = (transaction, replica) }
    return replica
  }

  // MARK: Writing

  /// Calls `body` on the writer's thread; what it writes becomes one change, durable when this returns.
  ///
  /// Blocks the calling thread; never call it from inside another write. The closure may run twice, and must do nothing
  /// but read and write the transaction.
  /// - Parameters:
  ///   - user: Who acts, if somebody is logged in.
  ///   - isImport: Lets elements of `own` sets keep keys that other devices made; only an owner's device may.
  /// - Throws: what `body` throws, or why nothing could be stored; then nothing of it is.
  public func write<R: Sendable>(
    as user: Key? = nil, isImport: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> R
  ) throws -> R {
    try noting { try queue.submit { [self] rows, state in try perform(user, isImport, body, rows, &state) } }
  }

  /// The same, suspending instead of blocking.
  public func write<R: Sendable>(
    as user: Key? = nil, isImport: Bool = false, _ body: @escaping @Sendable (WriteTransaction) throws -> R
  ) async throws -> R {
    do {
      return try await queue.submit { [self] rows, state in try perform(user, isImport, body, rows, &state) }
    } catch {
      try noteNeed(of: error)
      throw error
    }
  }

  func newKey(_ milliseconds: Int64, _ chance: [UInt8]) -> Key {
    generator.withLock { $0.next(milliseconds: milliseconds, chance: chance) }
  }

  func perform<R>(
    _ user: Key?, _ isImport: Bool, _ body: (WriteTransaction) throws -> R, _ rows: borrowing StoreTransaction,
    _ state: inout Replica
  ) throws -> R {
    state.allowsVoidWrites = allowsVoidWrites
    if isImport, state.authority.rank(of: state.device) < .owner {
      throw TreeError(
        .refused, "only an owner can import elements with other devices' keys",
        advice: "Import on an owner's device, such as the one that made the space.")
    }
    let transaction = WriteTransaction(
      rows, state, user: user, isImport: isImport, wallTime: environment.wallClock(),
      randomBytes: environment.randomBytes
    ) { [self] time, chance in newKey(time, chance) }
    transaction.knownNonce = { [ownKeys] element in ownKeys.withLock { $0[element] } }
    defer { transaction.end() }
    let result = try body(transaction)
    let draft = transaction.draft
    guard !draft.operations.isEmpty || !draft.controls.isEmpty else { return result }
    try state.write(draft, deviceName: deviceName, environment: environment, rows)
    try state.flush(rows)
    return result
  }
}
