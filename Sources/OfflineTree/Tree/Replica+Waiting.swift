/// Changes that wait for others, in the table `waiting`:
///
/// ```
/// key    log id 16 ‖ number u64 big-endian ‖ first 8 bytes of the hash
/// value  hash before 32 ‖ change
/// ```
extension Replica {
  /// What room waiting changes take.
  struct WaitingRoom: Sendable {
    private var byLog: [LogID: Int] = [:]
    private var all = 0
    /// What a row takes beside the change, about: else changes of a few bytes would be as good as free.
    private static let overhead = 128

    var isEmpty: Bool { byLog.isEmpty }

    func holds(_ log: LogID) -> Bool { byLog[log] != nil }

    func hasRoom(for bytes: Int, of log: LogID) -> Bool {
      let size = bytes + WaitingRoom.overhead
      return (byLog[log] ?? 0) + size <= Limits.waitingBytesPerLog && all + size <= Limits.waitingBytes
    }

    mutating func add(_ bytes: Int, of log: LogID) {
      byLog[log, default: 0] += bytes + WaitingRoom.overhead
      all += bytes + WaitingRoom.overhead
    }
  }

  mutating func keepWaiting(_ run: ChangeRun, _ rows: borrowing StoreTransaction) throws(TreeError) {
    var previous = run.hashBefore
    for (offset, body) in run.bodies.enumerated() {
      let seq = run.first + UInt64(offset)
      let hash = Change.hash(log: run.log, seq: seq, previous: previous, body: body)
      let key = run.log.bytes + RowKey.commit(seq) + hash.bytes[..<8]
      if try rows.get(.waiting, key) == nil {
        // Whoever sent it has it still, and sends it again.
        guard waiting.hasRoom(for: body.count, of: run.log) else { return }
        try rows.put(.waiting, key, previous.bytes + body)
        waiting.add(body.count, of: run.log)
      }
      previous = hash
    }
  }

  /// Everything that waits, out of the table; what follows one another as one run, so that each log is looked at once.
  mutating func takeWaiting(_ rows: borrowing StoreTransaction) throws(TreeError) -> [ChangeRun] {
    var gathered: [ChangeRun] = []
    /// Where a run can go on: its place, by the key that its next change's hash before has.
    var ends: [[UInt8]: Int] = [:]
    for (key, run) in try Replica.waitingRows(rows) {
      let before = key[..<16] + RowKey.commit(run.first &- 1) + run.hashBefore.bytes[..<8]
      let place = ends.removeValue(forKey: Array(before)) ?? gathered.count
      if place == gathered.count { gathered.append(run) } else { gathered[place].append(run.bodies[0]) }
      ends[key] = place
    }
    try rows.clear(.waiting)
    waiting = WaitingRoom()
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
        let (key, value) = (cursor.keyBytes, cursor.valueBytes)
        guard key.count == 32, value.count >= 32 else { throw TreeError(.damaged, "a waiting change is cut off") }
        let run = ChangeRun(
          log: LogID(key[..<16]), first: RowKey.number(key[16..<24]), hashBefore: Bytes32(value[..<32]),
          bodies: [value[32...]])
        guard body(key, run) else { return }
        isFound = try cursor.next()
      }
    }
  }
}
