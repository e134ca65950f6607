/// The changes themselves: append-only rows, by log and number.
extension Replica {
  /// Adds the next change of a log to its rows.
  mutating func append(
    _ body: ArraySlice<UInt8>, log: Int, seq: UInt64, hashBefore: Bytes32, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if let run = openRun, run.log != log || run.next != seq || run.bytes.count >= OpenRun.closingBytes {
      try closeRun(rows)
    }
    var run = openRun ?? OpenRun(log: log, first: seq, hashBefore: hashBefore)
    openRun = nil
    run.append(body)
    openRun = run
    logs[log].unsignedBytes += body.count
  }

  /// Writes what is buffered, so that the rows hold every change.
  mutating func closeRun(_ rows: borrowing StoreTransaction) throws(TreeError) {
    guard let run = openRun else { return }
    try rows.put(.run, RowKey.of(run.log, run.first), run.row)
    openRun = nil
  }

  /// The row that holds the change, or nil. The buffer must have been closed.
  static func run(
    _ log: Int, holding seq: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> StoredRun? {
    let key = RowKey.of(log, seq + 1)
    let found = try rows.withCursor(.run) { (cursor) throws(TreeError) -> ([UInt8], [UInt8])? in
      try cursor.seek(before: key) ? (cursor.keyBytes, cursor.valueBytes) : nil
    }
    guard let found else { return nil }
    let run = try StoredRun(key: found.0, row: found.1)
    return run.log == log && seq >= run.first && seq < run.next ? run : nil
  }

  /// Calls `body` with the rows of a log that hold changes from `seq` on, in order, until it returns false.
  static func forEachRun(
    _ log: Int, from seq: UInt64, _ rows: borrowing StoreTransaction,
    _ body: (StoredRun) throws(TreeError) -> Bool
  ) throws(TreeError) {
    var next = seq
    if let run = try run(log, holding: seq, rows) {
      guard try body(run) else { return }
      next = run.next
    }
    while true {
      let key = RowKey.of(log, next)
      let found = try rows.withCursor(.run) { (cursor) throws(TreeError) -> ([UInt8], [UInt8])? in
        try cursor.seek(atLeast: key) ? (cursor.keyBytes, cursor.valueBytes) : nil
      }
      guard let found else { return }
      let run = try StoredRun(key: found.0, row: found.1)
      guard run.log == log, try body(run) else { return }
      next = run.next
    }
  }

  /// The hash of a change that this replica holds.
  mutating func hash(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bytes32 {
    if dot.seq + 1 == logs[dot.log].count { return logs[dot.log].head }
    if let hash = recentHashes?[dot] { return hash }
    try closeRun(rows)
    guard let run = try Replica.run(dot.log, holding: dot.seq, rows) else { throw missing(dot) }
    let hashes = run.hashes(introduced: logs[dot.log].introduced)
    recentHashes = RunHashes(log: dot.log, first: run.first, hashes: hashes)
    return hashes[Int(dot.seq - run.first)]
  }

  private func missing(_ dot: Dot) -> TreeError {
    TreeError(.damaged, "the change \(dot.seq) of the log \(logs[dot.log].introduced) is missing")
  }

  /// The same where nothing is buffered.
  func storedHash(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bytes32 {
    let log = logs[dot.log]
    if dot.seq + 1 == log.count { return log.head }
    guard let run = try Replica.run(dot.log, holding: dot.seq, rows) else { throw missing(dot) }
    return run.hash(before: dot.seq + 1, introduced: log.introduced)
  }

  /// Where a change is that is named by the introduced id of its log, its number and a test of its hash.
  mutating func find(
    _ log: LogID, _ seq: UInt64, _ rows: borrowing StoreTransaction, matches: (Bytes32) -> Bool
  ) throws(TreeError) -> Dot? {
    for index in indices[log] ?? [] where logs[index].first <= seq && seq < logs[index].count {
      let dot = Dot(log: index, seq: seq)
      if matches(try hash(of: dot, rows)) { return dot }
    }
    return nil
  }
}
