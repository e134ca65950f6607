/// What opening a home finds: whose it is, and whether it is a copy.
struct OpenedHome: Sendable {
  let space: SpaceID
  let device: Bytes32
  let deviceName: String
  let token: Bytes16
  let isCopy: Bool

  private static let guardKey = Array("guard".utf8)
  private static let nameKey = Array("device name".utf8)

  static func setName(_ name: String, _ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, nameKey, Array(name.utf8))
  }

  /// Makes a home one that stood elsewhere, so that whoever opens it next takes it for a copy.
  static func forgetPlace(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, guardKey, Bytes16.zero.bytes)
  }

  /// Where a home stands: on which machine, in which file.
  struct Place: Sendable {
    fileprivate let bytes: [UInt8]

    init(machine: [UInt8], file: FileSystem.Identity) {
      var writer = ByteWriter()
      writer.append(Sodium.hash16(machine))
      writer.u64(UInt64(truncatingIfNeeded: file.device))
      writer.u64(UInt64(truncatingIfNeeded: file.inode))
      bytes = writer.bytes
    }
  }

  /// What a read transaction tells of a home.
  struct Look {
    let state: Replica
    /// The commit for which the state holds.
    let commit: UInt64
    /// Nil if the home has moved.
    let home: OpenedHome?
  }

  /// The data file goes to another place, and stays the same home's: unless it was a copy's, or is older than the last
  /// commit that was heard of. The number of its next commit is no older any more, so that is noted in another way.
  static func move(
    from old: Place, to new: Place, isOlder: Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    guard let stored = try rows.get(.meta, guardKey) else { return }
    guard !isOlder, stored.count == 16 + old.bytes.count, stored[16...].elementsEqual(old.bytes) else {
      return try forgetPlace(rows)
    }
    try rows.put(.meta, guardKey, stored[..<16] + new.bytes)
  }

  /// Looks at a home without writing; `wake` is the last commit that was heard of before the transaction began.
  static func look(
    at place: Place, wake: UInt64, _ keys: DeviceKeys, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Look {
    let state = try Replica.load(rows, keys: keys)
    let home = try unmoved(state, at: place, wake: wake, commit: rows.identifier, rows)
    return Look(state: state, commit: rows.identifier, home: home)
  }

  /// Gives a new token to a home that has moved; if it ever stood elsewhere, the next write begins a new log.
  static func settle(
    at place: Place, wake: UInt64, _ freshToken: Bytes16, _ queue: WriteQueue<Replica>
  ) throws -> OpenedHome {
    try queue.submit { rows, state in
      // Another process may have done it since it was looked at.
      if let home = try unmoved(state, at: place, wake: wake, commit: rows.identifier - 1, rows) { return home }
      let isCopy = try rows.get(.meta, guardKey) != nil
      try rows.put(.meta, guardKey, freshToken.bytes + place.bytes)
      if isCopy {
        state.mustLeave = true
        state.metaChanged = true
        try state.flush(rows)
      }
      return OpenedHome(state, try name(rows), token: freshToken, isCopy: isCopy)
    }
  }

  /// The home if its guard says that it stands where it stood, else nil.
  ///
  /// Another machine, file system or file, or a database older than the last commit that was heard of: this is a copy
  /// or an older state.
  private static func unmoved(
    _ state: Replica, at place: Place, wake: UInt64, commit: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> OpenedHome? {
    guard wake <= commit, let stored = try rows.get(.meta, guardKey), stored.count == 16 + place.bytes.count,
      stored[16...].elementsEqual(place.bytes)
    else { return nil }
    return OpenedHome(state, try name(rows), token: Bytes16(stored[..<16]), isCopy: false)
  }

  private init(_ state: Replica, _ name: String, token: Bytes16, isCopy: Bool) {
    space = state.space
    device = state.device
    deviceName = name
    self.token = token
    self.isCopy = isCopy
  }

  private static func name(_ rows: borrowing StoreTransaction) throws(TreeError) -> String {
    String(decoding: try rows.get(.meta, nameKey) ?? [], as: UTF8.self)
  }
}
