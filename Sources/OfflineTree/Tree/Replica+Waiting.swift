/// Changes that wait for others, in the table `waiting`:
///
/// ```
/// key    log id 16 ‖ number u64 big-endian ‖ first 8 bytes of the hash
/// value  hash before 32 ‖ 00, or 01 ‖ the signature 64 ‖ change
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

    func hasRoom(for bytes: Int, in count: Int, of log: LogID) -> Bool {
      let size = bytes + count * WaitingRoom.overhead
      return (byLog[log] ?? 0) + size <= Limits.waitingBytesPerLog && all + size <= Limits.waitingBytes
    }

    mutating func add(_ bytes: Int, of log: LogID) {
      byLog[log, default: 0] += bytes + WaitingRoom.overhead
      all += bytes + WaitingRoom.overhead
    }
  }

  /// Keeps a run, all of it or nothing: without its last change nothing of it is signed. Where there is no room, whoever
  /// sent it has it still, and sends it again.
  mutating func keepWaiting(_ run: ChangeRun, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard waiting.hasRoom(for: run.byteCount, in: run.bodies.count, of: run.log) else { return }
    var previous = run.hashBefore
    for (offset, (body, hash)) in zip(run.bodies, run.hashes).enumerated() {
      let key = run.log.bytes + RowKey.commit(run.first + UInt64(offset)) + hash.bytes[..<8]
      let signature = offset == run.bodies.count - 1 ? run.signature : nil
      let known = try rows.get(.waiting, key)
      if known == nil || known?[32] == 0 && signature != nil {
        try rows.put(.waiting, key, previous.bytes + (signature.map { [1] + $0.bytes } ?? [0]) + body)
      }
      if known == nil { waiting.add(body.count, of: run.log) }
      previous = hash
    }
  }

  /// Everything that waits, out of the table; what follows one another up to a signature as one run.
  mutating func takeWaiting(_ rows: borrowing StoreTransaction) throws(TreeError) -> [ChangeRun] {
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
        let isSigned = value.count > 32 && value[32] == 1
        let start = isSigned ? 33 + Signature.byteCount : 33
        guard key.count == 32, value.count >= start else { throw TreeError(.damaged, "a waiting change is cut off") }
        let run = ChangeRun(
          log: LogID(key[..<16]), first: RowKey.number(key[16..<24]), hashBefore: Bytes32(value[..<32]),
          bodies: [value[start...]], signature: isSigned ? Signature(value[33..<start]) : nil)
        guard body(key, run) else { return }
        isFound = try cursor.next()
      }
    }
  }
}
