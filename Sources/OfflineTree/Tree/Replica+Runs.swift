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
  ///
  /// - Parameter showsGaps: Else a row whose changes were dropped is an error that says which.
  static func forEachRun(
    _ log: Int, from seq: UInt64, showsGaps: Bool = false, _ rows: borrowing StoreTransaction,
    _ body: (StoredRun) throws(TreeError) -> Bool
  ) throws(TreeError) {
    func visit(_ run: StoredRun) throws(TreeError) -> Bool {
      if run.isGap, !showsGaps { throw missing(run.log, from: run.first, through: run.next - 1) }
      return try body(run)
    }
    var next = seq
    if let run = try run(log, holding: seq, rows) {
      guard try visit(run) else { return }
      next = run.next
    }
    while true {
      let key = RowKey.of(log, next)
      let found = try rows.withCursor(.run) { (cursor) throws(TreeError) -> ([UInt8], [UInt8])? in
        try cursor.seek(atLeast: key) ? (cursor.keyBytes, cursor.valueBytes) : nil
      }
      guard let found else { return }
      let run = try StoredRun(key: found.0, row: found.1)
      guard run.log == log, try visit(run) else { return }
      next = run.next
    }
  }

  /// The hash of a change that this replica holds.
  /// - Throws: what is missing, if it was dropped.
  mutating func hash(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bytes32 {
    if dot.seq + 1 == logs[dot.log].count { return logs[dot.log].head }
    if let hash = recentHashes?[dot] { return hash }
    try closeRun(rows)
    guard let run = try Replica.run(dot.log, holding: dot.seq, rows) else { throw lost(dot) }
    guard run.isGap else {
      let hashes = run.hashes(introduced: logs[dot.log].introduced)
      recentHashes = RunHashes(log: dot.log, first: run.first, hashes: hashes)
      return hashes[Int(dot.seq - run.first)]
    }
    guard let hash = try hash(of: dot, in: run, rows) else {
      throw Replica.missing(dot.log, from: dot.seq, through: dot.seq)
    }
    return hash
  }

  private func lost(_ dot: Dot) -> TreeError {
    TreeError(.damaged, "the change \(dot.seq) of the log \(logs[dot.log].introduced) is missing")
  }

  /// The same where nothing is buffered.
  func storedHash(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bytes32 {
    guard let hash = try knownHash(of: dot, rows) else {
      throw Replica.missing(dot.log, from: dot.seq, through: dot.seq)
    }
    return hash
  }

  /// The hash of a change that this replica holds, nil if it was dropped; where nothing is buffered.
  func knownHash(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bytes32? {
    if dot.seq + 1 == logs[dot.log].count { return logs[dot.log].head }
    guard let run = try Replica.run(dot.log, holding: dot.seq, rows) else { throw lost(dot) }
    return try hash(of: dot, in: run, rows)
  }

  private func hash(
    of dot: Dot, in run: StoredRun, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bytes32? {
    if let hash = run.hash(of: dot.seq, introduced: logs[dot.log].introduced) { return hash }
    // The row behind says what the last of a gap was.
    guard dot.seq + 1 == run.next else { return nil }
    return try rows.withValue(.run, RowKey.of(dot.log, run.next)) { (row) throws(TreeError) in
      row.byteCount >= 32 ? Bytes32((0..<32).map { unsafe row.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }) : nil
    } ?? nil
  }

  /// Where a change is that is named by the introduced id of its log, its number and a test of its hash.
  /// - Throws: what is missing, if it may be one that was dropped.
  mutating func find(
    _ log: LogID, _ seq: UInt64, _ rows: borrowing StoreTransaction, matches: (Bytes32) -> Bool
  ) throws(TreeError) -> Dot? {
    var unknown: TreeError?
    for index in indices[log] ?? [] where logs[index].first <= seq && seq < logs[index].count {
      let dot = Dot(log: index, seq: seq)
      do throws(TreeError) {
        if matches(try hash(of: dot, rows)) { return dot }
      } catch {
        guard !error.missing.isEmpty else { throw error }
        unknown = error
      }
    }
    if let unknown { throw unknown }
    return nil
  }
}

/// Rows of changes that are asked for again and again, opened once: within a bound.
struct OpenedRuns {
  private var runs: [Int: StoredRun] = [:]
  private var bytes = 0
  private var hashes: RunHashes?
  private static let limit = 64 << 20

  /// The hash of a change; nil if it was dropped, or is not there. Those of a row are worked out once.
  mutating func hash(
    of dot: Dot, introduced: LogID, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bytes32? {
    if let hash = hashes?[dot] { return hash }
    guard let run = try run(dot.log, holding: dot.seq, rows) else { return nil }
    if run.isGap { return run.hash(of: dot.seq, introduced: introduced) }
    let found = RunHashes(log: dot.log, first: run.first, hashes: run.hashes(introduced: introduced))
    hashes = found
    return found[dot]
  }

  /// The row that holds the change.
  mutating func run(
    _ log: Int, holding seq: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> StoredRun? {
    if let run = runs[log], run.first <= seq, seq < run.next { return run }
    guard let run = try Replica.run(log, holding: seq, rows) else { return nil }
    let size = run.bodies.reduce(64) { $0 + $1.count + 48 }
    bytes += size
    if bytes > OpenedRuns.limit { (runs, bytes) = ([:], size) }
    runs[log] = run
    return run
  }
}
