/// What goes out: runs of changes that somebody else lacks.
extension Replica {
  /// Where a position is, if this replica holds it; for states of which nothing is buffered.
  func find(_ position: LogPosition, _ rows: borrowing StoreTransaction) throws(TreeError) -> Dot? {
    for index in indices[position.log] ?? [] {
      guard logs[index].first <= position.seq, position.seq < logs[index].count else { continue }
      let dot = Dot(log: index, seq: position.seq)
      if try storedHash(of: dot, rows) == position.hash { return dot }
    }
    return nil
  }

  /// The changes of the chain that ends in `tip`, from `seq` on, as many as fit into `maximumBytes`, at least one.
  ///
  /// - Returns: Nil if the tip is not here or the chain has no change from `seq` on.
  func run(
    endingAt tip: LogPosition, from seq: UInt64, maximumBytes: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    guard let end = try find(tip, rows), seq <= tip.seq else { return nil }
    var chain = [end.log]
    while let parent = logs[chain[0]].parent, seq < logs[chain[0]].first { chain.insert(parent, at: 0) }
    var builder = RunBuilder(introduced: tip.log, first: seq, maximumBytes: maximumBytes)
    for (index, log) in chain.enumerated() {
      let last = index + 1 < chain.count ? logs[chain[index + 1]].first : tip.seq + 1
      try builder.add(log, upTo: last, rows)
    }
    return builder.run
  }

  /// The next changes of one log that the context `sent` lacks, cut where a change had seen something else.
  func run(
    _ log: Int, unsentAfter sent: Context, maximumBytes: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    let entry = logs[log]
    let start = max(sent.count(log), entry.first)
    guard start < entry.count else { return nil }
    var end = start
    var known = sent
    // Only changes with a context row had seen anything beside their own log.
    while end < entry.count, end - start < 8_192 {
      if try rows.get(.context, RowKey.of(log, end)) != nil {
        let context = try Replica.storedContext(of: Dot(log: log, seq: end), rows)
        guard known.contains(context) else { break }
      }
      end = try nextContextRow(log, after: end, rows) ?? entry.count
      known.raise(log, to: end)
    }
    guard end > start else { return nil }
    var builder = RunBuilder(introduced: entry.introduced, first: start, maximumBytes: maximumBytes)
    try builder.add(log, upTo: end, rows)
    return builder.run
  }

  private func nextContextRow(
    _ log: Int, after seq: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> UInt64? {
    try rows.withCursor(.context) { (cursor) throws(TreeError) -> UInt64? in
      guard try cursor.seek(atLeast: RowKey.of(log, seq + 1)) else { return nil }
      let key = cursor.keyBytes
      return Int(RowKey.number(key[..<4])) == log ? RowKey.number(key[4...]) : nil
    }
  }
}

/// Gathers consecutive changes from rows.
private struct RunBuilder {
  let introduced: LogID
  let first: UInt64
  let maximumBytes: Int
  private var hashBefore: Bytes32?
  private var bodies: [ArraySlice<UInt8>] = []
  private var bytes = 0

  init(introduced: LogID, first: UInt64, maximumBytes: Int) {
    self.introduced = introduced
    self.first = first
    self.maximumBytes = maximumBytes
  }

  private var next: UInt64 { first + UInt64(bodies.count) }
  private var isFull: Bool { bytes >= maximumBytes && !bodies.isEmpty }

  var run: ChangeRun? {
    guard let hashBefore, !bodies.isEmpty else { return nil }
    return ChangeRun(log: introduced, first: first, hashBefore: hashBefore, bodies: bodies)
  }

  /// Adds the changes of a log from the next number up to `end`.
  mutating func add(_ log: Int, upTo end: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) {
    if next >= end || isFull { return }
    var builder = self
    try Replica.forEachRun(log, from: next, rows) { run throws(TreeError) in
      guard run.first <= builder.next, builder.next < run.next else {
        throw TreeError(
          .damaged, "the change \(builder.next) of the log \(builder.introduced) is missing",
          advice: Store.damageAdvice)
      }
      if builder.hashBefore == nil {
        builder.hashBefore = run.hash(before: builder.first, introduced: builder.introduced)
      }
      for body in run.bodies[Int(builder.next - run.first)...] {
        if builder.next >= end || (!builder.bodies.isEmpty && builder.bytes + body.count > builder.maximumBytes) {
          return false
        }
        builder.bodies.append(body)
        builder.bytes += body.count
      }
      return builder.next < end
    }
    self = builder
  }
}
