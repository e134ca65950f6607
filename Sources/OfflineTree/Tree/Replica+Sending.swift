/// What goes out: runs of changes that somebody else lacks.
extension Replica {
  /// Where a position is, if this replica holds it; for states of which nothing is buffered.
  ///
  /// One among dropped changes, whose hash is not known any more, counts as held: what comes of it shows if it is not.
  func find(_ position: LogPosition, _ rows: borrowing StoreTransaction) throws(TreeError) -> Dot? {
    var dropped: Dot?
    for index in indices[position.log] ?? [] {
      guard logs[index].first <= position.seq, position.seq < logs[index].count else { continue }
      let dot = Dot(log: index, seq: position.seq)
      guard let hash = try knownHash(of: dot, rows) else {
        dropped = dot
        continue
      }
      if hash == position.hash { return dot }
    }
    return dropped
  }

  /// The changes of the chain that ends in `tip`, from `seq` on, as many as fit into `maximumBytes`, at least one.
  ///
  /// - Returns: Nil if the tip is not here or the chain has no change from `seq` on, or that one was dropped.
  func run(
    endingAt tip: LogPosition, from seq: UInt64, maximumBytes: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    guard let end = try find(tip, rows), seq <= tip.seq else { return nil }
    var builder = RunBuilder(introduced: tip.log, first: seq, maximumBytes: maximumBytes)
    for (log, last) in chain(to: end, from: seq) { try builder.add(log, upTo: last, rows) }
    return builder.run
  }

  /// The logs and branches that lead to a change, from the one that holds `seq` on, each with where the next begins.
  private func chain(to end: Dot, from seq: UInt64) -> [(log: Int, end: UInt64)] {
    var chain = [(log: end.log, end: end.seq + 1)]
    while let parent = logs[chain[0].log].parent, seq < logs[chain[0].log].first {
      chain.insert((log: parent, end: logs[chain[0].log].first), at: 0)
    }
    return chain
  }

  /// The next changes of one log that the context `sent` lacks, up to a signed head and within one epoch.
  ///
  /// - Parameters:
  ///   - isOrdered: Only changes whose own past was sent; else the receiver has to wait for what comes later.
  ///   - maximumBytes: Not held where the next signed head is further.
  func run(
    _ log: Int, unsentAfter sent: Context, maximumBytes: Int, isOrdered: Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    let entry = logs[log]
    guard entry.signedCount > max(sent.count(log), entry.first) else { return nil }
    // What a branch shares with another may be signed by its own heads alone.
    var start = max(sent.count(log), entry.first)
    var holder = log
    while start == logs[holder].first, let parent = logs[holder].parent {
      start = min(start, max(sent.count(parent), logs[parent].first))
      if start == logs[holder].first { break }
      holder = parent
    }
    var end = entry.signedCount
    if isOrdered, holder == log { end = min(end, try orderedEnd(of: log, from: start, sent, rows)) }
    // What was dropped cannot go, nor what is behind it.
    if let gap = logs[holder].dropped.range(atOrAfter: start) {
      if gap.contains(start) { return nil }
      end = holder == log ? min(end, gap.lowerBound) : end
    }
    guard end > start else { return nil }
    if holder == log, let border = try nextBorder(in: log, after: start, below: end, rows) { end = border }
    return try signedRun(log, from: start, upTo: end, maximumBytes, isOrdered: isOrdered, rows)
  }

  /// Up to where the changes of a log had seen nothing that was not sent.
  private func orderedEnd(
    of log: Int, from start: UInt64, _ sent: Context, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> UInt64 {
    var end = start
    var known = sent
    // Only changes with a context row had seen anything beside their own log.
    while end < logs[log].count, end - start < 8_192 {
      if try rows.get(.context, RowKey.of(log, end)) != nil {
        let context = try Replica.storedContext(of: Dot(log: log, seq: end), rows)
        guard known.contains(context) else { break }
      }
      end = try nextContextRow(log, after: end, rows) ?? logs[log].count
      known.raise(log, to: end)
    }
    return end
  }

  /// A run that ends at the last signed head below `end` that fits, else at the next one behind it.
  private func signedRun(
    _ log: Int, from start: UInt64, upTo end: UInt64, _ maximumBytes: Int, isOrdered: Bool,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    let own = max(start, logs[log].first)
    var last = try signedHeads(of: log, around: end, rows).before
    if last.map({ $0 < own }) ?? true {
      // A log that was signed more seldom than it saw others: its order cannot be kept.
      last = isOrdered ? nil : try signedHeads(of: log, around: end, rows).from
    }
    guard var last else { return nil }
    var run = try build(log, from: start, through: last, maximumBytes, rows)
    if let built = run, built.last < last {
      let heads = try signedHeads(of: log, around: built.last + 1, rows)
      if let before = heads.before, before >= own {
        last = before
        run = try build(log, from: start, through: last, .max, rows)
      } else if let next = heads.from {
        last = next
        run = try build(log, from: start, through: last, .max, rows)
      }
    }
    // It ends before what was dropped.
    guard run?.last == last else { return nil }
    run?.signature = try signature(of: Dot(log: log, seq: last), rows)
    run?.epochs = try epochs(of: Dot(log: log, seq: own), rows)
    return run
  }

  /// The changes of a log and what it branched from, from one number through another.
  private func build(
    _ log: Int, from start: UInt64, through last: UInt64, _ maximumBytes: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    var builder = RunBuilder(introduced: logs[log].introduced, first: start, maximumBytes: maximumBytes)
    for (log, end) in chain(to: Dot(log: log, seq: last), from: start) { try builder.add(log, upTo: end, rows) }
    return builder.run
  }

  func nextContextRow(
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
  /// Was there a change that had no room?
  private var isFull = false

  var run: ChangeRun? {
    guard let hashBefore, !bodies.isEmpty else { return nil }
    return ChangeRun(log: introduced, first: first, hashBefore: hashBefore, bodies: bodies)
  }

  /// Adds the changes of a log from the next number up to `end`.
  mutating func add(_ log: Int, upTo end: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) {
    if next >= end || isFull { return }
    var builder = self
    try Replica.forEachRun(log, from: next, showsGaps: true, rows) { run throws(TreeError) in
      if run.isGap {
        builder.isFull = true
        return false
      }
      guard run.first <= builder.next, builder.next < run.next else {
        throw TreeError(
          .damaged, "the change \(builder.next) of the log \(builder.introduced) is missing",
          advice: Store.damageAdvice)
      }
      if builder.hashBefore == nil {
        builder.hashBefore = run.hash(before: builder.first, introduced: builder.introduced)
      }
      for body in run.bodies[Int(builder.next - run.first)...] {
        if builder.next >= end { return false }
        builder.isFull = !builder.bodies.isEmpty && builder.bytes + body.count > builder.maximumBytes
        if builder.isFull { return false }
        builder.bodies.append(body)
        builder.bytes += body.count
      }
      return builder.next < end
    }
    self = builder
  }
}
