/// How the state comes from rows and goes into them.
extension Replica {
  enum MetaKey {
    static let identity = Array("identity".utf8)
    static let state = Array("state".utf8)
    static let frontier = Array("frontier".utf8)
    static let genesis = Array("genesis".utf8)
    static let claim = Array("claim".utf8)
    static let retention = Array("retention".utf8)
    /// The word on keeping that this home may take back.
    static let word = Array("word".utf8)
    static let block = Array("block".utf8)
  }

  /// Reads the state that the last commit left. O(logs), and for the writer O(changes that wait).
  ///
  /// - Parameters:
  ///   - known: A state of before, whose authority is taken over if nothing has changed in it.
  ///   - keys: This device's; for the writer.
  static func load(
    _ rows: borrowing StoreTransaction, known: Replica? = nil, keys: DeviceKeys? = nil
  ) throws(TreeError) -> Replica {
    let identity = try identity(rows)
    var replica = Replica(space: identity.space, device: identity.device)
    replica.keys = keys
    if let record = try rows.get(.meta, MetaKey.genesis) { try replica.adopt(try Genesis(decoding: record[...])) }
    try replica.loadLogs(rows)
    try replica.loadState(rows)
    if let known, known.authorityVersion == replica.authorityVersion {
      replica.authority = known.authority
    } else {
      try replica.loadAuthority(rows)
    }
    guard keys != nil else { return replica }
    replica.findStrangers()
    var room = WaitingRoom()
    try forEachWaiting(rows) { _, run in
      room.add(run.byteCount, of: run.log)
      return true
    }
    replica.waiting = room
    replica.mustRetryWaiting = !room.isEmpty
    return replica
  }

  static let formatVersion: UInt8 = 4
  /// The first version, whose homes are brought to this one when they are opened.
  static let firstFormatVersion: UInt8 = 1

  /// Whose the home is.
  static func identity(
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> (space: SpaceID, device: Bytes32, version: UInt8) {
    guard let identity = try rows.get(.meta, MetaKey.identity) else {
      throw TreeError(.damaged, "the home has no identity", advice: "It was not completely made: remove it.")
    }
    var reader = ByteReader(identity)
    let version = try reader.u8("format of the home")
    guard (firstFormatVersion...formatVersion).contains(version) else {
      throw TreeError(.unsupportedVersion, "the home was written by another version", advice: "Update this program.")
    }
    return (try reader.bytes32("space"), try reader.bytes32("device key"), version)
  }

  /// Writes the identity of a home.
  static func initialize(
    space: SpaceID, device: Bytes32, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var writer = ByteWriter()
    writer.u8(formatVersion)
    writer.append(space)
    writer.append(device)
    try rows.put(.meta, MetaKey.identity, writer.bytes)
  }

  /// Brings a home of an earlier version to this one: rows of then are rows of now.
  static func upgrade(_ rows: borrowing StoreTransaction) throws(TreeError) {
    let identity = try identity(rows)
    guard identity.version < formatVersion else { return }
    try initialize(space: identity.space, device: identity.device, rows)
  }

  mutating func adopt(_ genesis: Genesis) throws(TreeError) {
    declarations = try Declarations(addOnlySets: genesis.addOnlySets, flags: genesis.flags)
    self.genesis = genesis
    authority.adopt(genesis)
  }

  private mutating func loadLogs(_ rows: borrowing StoreTransaction) throws(TreeError) {
    let encoded = try rows.withCursor(.log) { (cursor) throws(TreeError) in
      var encoded: [[UInt8]] = []
      var found = try cursor.first()
      while found {
        encoded.append(cursor.valueBytes)
        found = try cursor.next()
      }
      return encoded
    }
    var pool: Set<[UInt64]> = []
    for (index, bytes) in encoded.enumerated() {
      var log = try LogEntry(decoding: bytes)
      if !log.isEmpty {
        log.context = try Replica.storedContext(of: Dot(log: index, seq: log.count - 1), rows)
        log.context.share(&pool)
      }
      if !log.dropped.isEmpty { hasGaps = true }
      logs.append(log)
      indices[log.introduced, default: []].append(index)
      indicesByDevice[log.device, default: []].append(index)
    }
  }

  private mutating func loadState(_ rows: borrowing StoreTransaction) throws(TreeError) {
    if let bytes = try rows.get(.meta, MetaKey.block) {
      var reader = ByteReader(bytes)
      block = max(1, min(try reader.varint("block of history"), Limits.historyBlock))
    }
    if let state = try rows.get(.meta, MetaKey.state) {
      var reader = ByteReader(state)
      lastCounter = try reader.varint("last counter")
      commitNumber = try reader.varint("commit number")
      mustLeave = try reader.u8("own log") == 1
      let current = try reader.count("current log", limit: logs.count)
      currentLog = current == 0 ? nil : current - 1
      authorityVersion = try reader.varint("version of the authority")
    }
    if let bytes = try rows.get(.meta, IndexSet.metaKey) { indexes = try IndexSet(decoding: bytes) }
    if let bytes = try rows.get(.meta, MetaKey.frontier) {
      var reader = ByteReader(bytes)
      while !reader.isAtEnd {
        let log = try reader.count("log index", limit: Int(Int32.max))
        frontier[log] = try reader.varint("number")
      }
    }
  }

  /// Writes everything that the write has left in memory.
  mutating func flush(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try closeRun(rows)
    if mustRebuild { try rebuild(rows) }
    try storeCounters(rows)
    try settleIndexes(rows)
    try followRules(rows)
    guard metaChanged || !changedLogs.isEmpty || !hash.changes.isEmpty || !touched.isEmpty else { return }
    for log in changedLogs { try rows.put(.log, RowKey.of(log), logs[log].encoded) }
    changedLogs.removeAll()
    for (bucket, change) in hash.changes where change != 0 {
      let sum = try Replica.hashBucket(bucket, rows) &+ change
      try rows.put(.hash, [bucket], (0..<16).map { UInt8(truncatingIfNeeded: sum >> UInt128(8 * $0)) })
    }
    hash.removeAllChanges()
    noteTouched()
    var writer = ByteWriter()
    writer.varint(lastCounter)
    writer.varint(commitNumber)
    writer.u8(mustLeave ? 1 : 0)
    writer.varint(currentLog.map { $0 + 1 } ?? 0)
    writer.varint(authorityVersion)
    try rows.put(.meta, MetaKey.state, writer.bytes)
    var edge = ByteWriter()
    for (log, seq) in frontier.sorted(by: { $0.key < $1.key }) {
      edge.varint(log)
      edge.varint(seq)
    }
    try rows.put(.meta, MetaKey.frontier, edge.bytes)
    metaChanged = false
  }

  static func hashBucket(_ bucket: UInt8, _ rows: borrowing StoreTransaction) throws(TreeError) -> UInt128 {
    guard let bytes = try rows.get(.hash, [bucket]) else { return 0 }
    return bytes.reversed().reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
  }

  /// What a stored change had seen: the nearest context row of its log, and its log up to the change.
  static func storedContext(
    of dot: Dot, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Context {
    let key = RowKey.of(dot.log, dot.seq + 1)
    let found = try rows.withCursor(.context) { (cursor) throws(TreeError) -> ([UInt8], [UInt8])? in
      try cursor.seek(before: key) ? (cursor.keyBytes, cursor.valueBytes) : nil
    }
    guard let found, Int(RowKey.number(found.0[..<4])) == dot.log else {
      throw TreeError(.damaged, "the context of the change \(dot.seq) of log \(dot.log) is missing")
    }
    var context = Context()
    var reader = ByteReader(found.1)
    while !reader.isAtEnd {
      let log = try reader.count("log index", limit: Int(Int32.max))
      context.raise(log, to: try reader.varint("count"))
    }
    if dot.seq > RowKey.number(found.0[4...]) { context.raise(dot.log, to: dot.seq) }
    return context
  }

  static func encode(_ context: Context) -> [UInt8] {
    var writer = ByteWriter()
    for (log, count) in context.entries {
      writer.varint(log)
      writer.varint(count)
    }
    return writer.bytes
  }
}
