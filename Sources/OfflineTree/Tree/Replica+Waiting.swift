/// Changes that wait for others, in the table `waiting`:
///
/// ```
/// key    log id 16 ‖ number u64 big-endian ‖ first 8 bytes of the hash
/// value  hash before 32 ‖ 00, or 01 ‖ the signature 64 ‖ change
/// ```
/// and, for the first change of what waits for a change that it had seen, in the table `awaited`:
///
/// ```
/// key    what it waits for: log id 16 ‖ number u64 big-endian ‖ key of the waiting change 32
/// ```
extension Replica {
  /// What room waiting changes take.
  struct WaitingRoom: Sendable {
    private var byLog: [LogID: Int] = [:]
    private var all = 0
    /// What a row takes beside the change, about: else changes of a few bytes would be as good as free.
    private static let overhead = 256

    var isEmpty: Bool { byLog.isEmpty }

    func holds(_ log: LogID) -> Bool { byLog[log] != nil }

    func hasRoom(for bytes: Int, in count: Int, of log: LogID) -> Bool {
      let size = bytes + count * WaitingRoom.overhead
      return (byLog[log] ?? 0) + size <= Limits.waitingBytesPerLog && all + size <= Limits.waitingBytes
    }

    mutating func add(_ bytes: Int, of log: LogID) {
      byLog[log, default: 0] += bytes + WaitingRoom.overhead
      all += bytes + WaitingRoom.overhead
    }

    mutating func remove(_ bytes: Int, of log: LogID) {
      let left = (byLog[log] ?? 0) - bytes - WaitingRoom.overhead
      byLog[log] = left > 0 ? left : nil
      all -= bytes + WaitingRoom.overhead
    }
  }

  /// Keeps a run, all of it or nothing: without its last change nothing of it is signed. Where there is no room, whoever
  /// sent it has it still, and sends it again.
  ///
  /// - Returns: Whether there was room.
  @discardableResult
  mutating func keepWaiting(
    _ run: ChangeRun, for reason: Reception.Reason?, missing: [MissingChanges] = [],
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    guard waiting.hasRoom(for: run.byteCount, in: run.bodies.count, of: run.log) else { return false }
    var previous = run.hashBefore
    for (offset, (body, hash)) in zip(run.bodies, run.hashes).enumerated() {
      let key = Replica.waitingKey(run.log, run.first + UInt64(offset)) + hash.bytes[..<8]
      let signature = offset == run.bodies.count - 1 ? run.signature : nil
      let known = try rows.get(.waiting, key)
      if known == nil || known?[32] == 0 && signature != nil {
        try rows.put(.waiting, key, previous.bytes + (signature.map { [1] + $0.bytes } ?? [0]) + body)
      }
      if known == nil { waiting.add(body.count, of: run.log) }
      if offset == 0 {
        try noteReason(reason, key, rows)
        if reason == .missingHistory { try noteNeed(of: missing, by: key, rows) }
      }
      previous = hash
    }
    return true
  }

  /// How what is kept is found when it may go on.
  private mutating func noteReason(
    _ reason: Reception.Reason?, _ key: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    switch reason {
    case .missingParent(let parent):
      try rows.put(.awaited, Replica.waitingKey(parent.log, parent.seq) + key, [])
    // Found by its own log and number, with the genesis, with what waits for its log, or by what it needs.
    case .missingPrevious, .missingGenesis, .delayed, .unknownVersion, .missingHistory: break
    // Nobody has looked at it yet.
    case nil: freed.insert(key)
    }
  }

  static func waitingKey(_ log: LogID, _ seq: UInt64) -> [UInt8] { log.bytes + RowKey.commit(seq) }

  /// A change is here: what waited for it may go on.
  mutating func free(after log: LogID, _ seq: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) {
    if waiting.isEmpty { return }
    let place = Replica.waitingKey(log, seq)
    let found = try Replica.keys(.awaited, beginning: place, rows)
    for key in found {
      freed.insert(Array(key[place.count...]))
      try rows.delete(.awaited, key)
    }
    guard waiting.holds(log) else { return }
    freed.formUnion(try Replica.keys(.waiting, beginning: Replica.waitingKey(log, seq + 1), rows))
  }

  /// Others wait for a log: it may be delivered, or tell what it waits for.
  mutating func free(_ log: LogID, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard waiting.holds(log) else { return }
    freed.formUnion(try Replica.keys(.waiting, beginning: log.bytes, rows))
  }

  private static func keys(
    _ table: Table, beginning prefix: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [[UInt8]] {
    try rows.withCursor(table) { (cursor) throws(TreeError) in
      var keys: [[UInt8]] = []
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound {
        let key = cursor.keyBytes
        guard key.starts(with: prefix) else { break }
        keys.append(key)
        isFound = try cursor.next()
      }
      return keys
    }
  }

  /// What may go on, out of the table; what follows one another up to a signature as one run.
  mutating func takeFreed(_ rows: borrowing StoreTransaction) throws(TreeError) -> [ChangeRun] {
    if mustRetryWaiting { return try takeWaiting(rows) }
    var taken: [ChangeRun] = []
    // In their order: a run is found from its beginning on.
    for key in freed.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      if let run = try takeWaiting(from: key, rows) { taken.append(run) }
    }
    freed = []
    return taken
  }

  private mutating func takeWaiting(
    from start: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    guard let value = try rows.get(.waiting, start) else { return nil }
    var run = try Replica.waitingChange(start, value)
    var key = start
    while true {
      try rows.delete(.waiting, key)
      waiting.remove(run.bodies[run.bodies.count - 1].count, of: run.log)
      if run.signature != nil { return run }
      guard let (next, change) = try Replica.waitingChange(behind: key, run, rows) else { return run }
      run.append(change.bodies[0])
      run.signature = change.signature
      key = next
    }
  }

  /// The waiting change that goes on behind one of a run.
  private static func waitingChange(
    behind key: [UInt8], _ run: ChangeRun, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> (key: [UInt8], change: ChangeRun)? {
    for next in try keys(.waiting, beginning: waitingKey(run.log, run.last + 1), rows) {
      guard let value = try rows.get(.waiting, next) else { continue }
      let change = try waitingChange(next, value)
      if change.hashBefore.bytes[..<8].elementsEqual(key[24...]) { return (next, change) }
    }
    return nil
  }

  /// Everything that waits, out of the table; what follows one another up to a signature as one run.
  private mutating func takeWaiting(_ rows: borrowing StoreTransaction) throws(TreeError) -> [ChangeRun] {
    var gathered: [ChangeRun] = []
    /// Where a run can go on: its place, by the key that its next change's hash before has.
    var ends: [[UInt8]: Int] = [:]
    for (key, run) in try Replica.waitingRows(rows) {
      let before = key[..<16] + RowKey.commit(run.first &- 1) + run.hashBefore.bytes[..<8]
      let place = ends.removeValue(forKey: Array(before)) ?? gathered.count
      if place == gathered.count { gathered.append(run) } else { gathered[place].append(run.bodies[0]) }
      gathered[place].signature = run.signature
      if run.signature == nil { ends[key] = place }
    }
    try rows.clear(.waiting)
    try rows.clear(.awaited)
    try forgetNeedsOfWaiting(rows)
    waiting = WaitingRoom()
    (mustRetryWaiting, freed) = (false, [])
    return gathered
  }

  static func waitingRuns(_ rows: borrowing StoreTransaction) throws(TreeError) -> [ChangeRun] {
    try waitingRows(rows).map(\.run)
  }

  private static func waitingRows(
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [(key: [UInt8], run: ChangeRun)] {
    var found: [(key: [UInt8], run: ChangeRun)] = []
    try forEachWaiting(rows) { key, run in
      found.append((key, run))
      return true
    }
    return found
  }

  /// Calls `body` with each waiting change behind a key, in the order of logs and numbers, until it returns false.
  static func forEachWaiting(
    after last: [UInt8] = [], _ rows: borrowing StoreTransaction, _ body: ([UInt8], ChangeRun) -> Bool
  ) throws(TreeError) {
    try rows.withCursor(.waiting) { (cursor) throws(TreeError) in
      var isFound = try last.isEmpty ? cursor.first() : cursor.seek(atLeast: last + [0])
      while isFound {
        let key = cursor.keyBytes
        guard body(key, try waitingChange(key, cursor.valueBytes)) else { return }
        isFound = try cursor.next()
      }
    }
  }

  static func waitingChange(_ key: [UInt8], _ value: [UInt8]) throws(TreeError) -> ChangeRun {
    let isSigned = value.count > 32 && value[32] == 1
    let start = isSigned ? 33 + Signature.byteCount : 33
    guard key.count == 32, value.count >= start else { throw TreeError(.damaged, "a waiting change is cut off") }
    return ChangeRun(
      log: LogID(key[..<16]), first: RowKey.number(key[16..<24]), hashBefore: Bytes32(value[..<32]),
      bodies: [value[start...]], signature: isSigned ? Signature(value[33..<start]) : nil)
  }
}
