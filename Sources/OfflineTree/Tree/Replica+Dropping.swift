/// Dropping the bytes of changes that every keeper has.
extension Replica {
  /// What may be dropped, as it was found out in one view; while nothing of that changes.
  struct Droppable: Sendable {
    /// By log: below which number every keeper holds everything.
    let limits: [UInt64]
    /// Changes from this wall time on stay; nil if none does.
    let cutoff: Int64?
    fileprivate let authorityVersion: UInt64
    fileprivate let logCount: Int
  }

  /// What may be dropped now, or nil.
  func droppable(
    _ keepers: [KeeperClock], now: Int64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Droppable? {
    let devices = Set(authority.keepers)
    let retention = try retention(rows)
    // Of a keeper of which nothing is known nothing can be relied upon; nor does who keeps all for others drop anything.
    // Nor do members alone count, of whom anybody can promise and break it.
    guard retention != .all, !devices.contains(device), devices.contains(where: { authority.rank(of: $0) >= .owner }),
      devices.isSubset(of: Set(keepers.map(\.device)))
    else { return nil }
    let held = try keepers.filter { devices.contains($0.device) }.map { keeper throws(TreeError) in
      try past(of: keeper.clock, rows)
    }
    let limits = logs.indices.map { index -> UInt64 in
      let isOwn = logs[index].device == device
      // A lone keeper's own changes may be in its home and here alone.
      let isOnlyKeepers = devices.count == 1 && devices.contains(logs[index].device)
      if isOwn || isOnlyKeepers { return 0 }
      let least = held.map { $0.count(index) }.min() ?? 0
      return min(least, logs[index].count) / block * block
    }
    var cutoff: Int64?
    if case .days(let days) = retention { cutoff = now - Int64(days) * 86_400_000 }
    return Droppable(
      limits: limits, cutoff: cutoff, authorityVersion: authorityVersion, logCount: logs.count)
  }

  /// The set of changes that somebody with that clock holds, as far as it is known here.
  func past(of clock: VectorClock, _ rows: borrowing StoreTransaction) throws(TreeError) -> Context {
    var past = Context()
    for position in clock.positions {
      guard let dot = try find(position, rows) else { continue }
      past.raise(dot.log, to: dot.seq + 1)
      var log = logs[dot.log]
      while let parent = log.parent {
        past.raise(parent, to: log.first)
        log = logs[parent]
      }
    }
    return past
  }

  /// Blocks that are dropped in one go.
  private static let blocksPerStep: UInt64 = 16

  /// Drops the next blocks of a log from a number on.
  ///
  /// - Returns: From where to go on; nil if there is nothing more.
  mutating func dropNext(
    _ log: Int, from start: UInt64, _ droppable: Droppable, _ report: inout CompactionReport,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> UInt64? {
    let isSame = droppable.authorityVersion == authorityVersion && droppable.logCount == logs.count
    // While something waits for history, what is fetched for it stays, until that has had its turn.
    guard isSame, freed.isEmpty, try !isHistoryNeeded(rows), log < droppable.limits.count else { return nil }
    var first = max(start, (logs[log].first + block - 1) / block * block)
    while let gap = logs[log].dropped.range(atOrAfter: first), gap.contains(first) { first = gap.upperBound }
    var end = min(droppable.limits[log], first + block * Replica.blocksPerStep)
    if let gap = logs[log].dropped.range(atOrAfter: first) { end = min(end, gap.lowerBound) }
    guard first < end else { return nil }
    end = try droppableEnd(log, from: first, upTo: end, rows)
    // A block that is too large to be fetched again stays.
    guard first < end else { return first + block }
    let piece = try piece(log, from: first, upTo: end, rows)
    var gaps: [(first: UInt64, row: [UInt8])] = []
    var hash = piece.hashBefore
    for offset in stride(from: 0, to: piece.bodies.count, by: Int(block)) {
      let bodies = piece.bodies[offset..<offset + Int(block)]
      let number = first + UInt64(offset)
      guard let row = try gapRow(log, number, &hash, bodies, cutoff: droppable.cutoff) else { break }
      gaps.append((number, row))
    }
    // A block that stays, since it is too young.
    guard !gaps.isEmpty else { return nil }
    try forgetRoomlessNeeds(rows)
    try drop(piece, gaps, hash, &report, rows)
    return first + UInt64(gaps.count) * block
  }

  /// Up to where whole blocks have no more bytes together than one may have: they are opened at once.
  private func droppableEnd(
    _ log: Int, from first: UInt64, upTo end: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> UInt64 {
    var (next, border, bytes) = (first, first, 0)
    try Replica.forEachRun(log, from: first, rows) { run throws(TreeError) in
      for body in run.bodies.dropFirst(Int(next - run.first)) {
        bytes += body.count
        next += 1
        if next > end || bytes > Limits.historyBlockBytes { return false }
        if next.isMultiple(of: block) { border = next }
      }
      return next < end
    }
    return border
  }

  private mutating func drop(
    _ piece: Piece, _ gaps: [(first: UInt64, row: [UInt8])], _ head: Bytes32, _ report: inout CompactionReport,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let count = gaps.count * Int(block)
    let rest = piece.bodies[count...]
    let next = piece.first + UInt64(count)
    try replace(
      piece, with: rest.isEmpty ? [] : [Row(first: next, hashBefore: head, bodies: rest, isPacked: piece.isPacked)],
      rows)
    for gap in gaps { try rows.put(.run, RowKey.of(piece.log, gap.first), gap.row) }
    logs[piece.log].dropped.insert(piece.first..<next)
    changedLogs.insert(piece.log)
    (hasGaps, logsAboveGaps, recentHashes) = (true, [], nil)
    report.droppedChanges += count
    report.bytesBefore += piece.bytes
    report.bytesAfter += gaps.reduce(0) { $0 + $1.row.count }
  }

  /// The row that says that a block was dropped, with what stays of it: acts of authority, and who made elements. Nil if
  /// some of it is too young.
  ///
  /// - Parameter hash: Of the change before; afterwards of the last one.
  func gapRow(
    _ log: Int, _ first: UInt64, _ hash: inout Bytes32, _ bodies: ArraySlice<ArraySlice<UInt8>>, cutoff: Int64?
  ) throws(TreeError) -> [UInt8]? {
    var kept: [StoredRun.Kept] = []
    var authors: [(offset: Int, author: [UInt8])] = []
    var previous = hash
    for (offset, body) in bodies.enumerated() {
      guard case .change(let change, _) = try Change.decode(body) else {
        throw TreeError(.damaged, "a change of the log \(logs[log].introduced) cannot be read")
      }
      if let cutoff, change.wallTime >= cutoff { return nil }
      if change.introduction != nil || !change.controls.isEmpty {
        kept.append(StoredRun.Kept(offset: offset, hashBefore: previous, body: body))
      } else if let author = change.author, makesElement(change) {
        authors.append((offset, author.utf8))
      }
      previous = Change.hash(
        log: logs[log].introduced, seq: first + UInt64(offset), previous: previous, body: body)
    }
    defer { hash = previous }
    return StoredRun.gapRow(count: bodies.count, hashBefore: hash, kept: kept, authors: authors)
  }

  private func makesElement(_ change: Change) -> Bool {
    guard !declarations.isEmpty else { return false }
    return change.operations.contains { operation in
      guard case .put(let path, _) = operation else { return false }
      return declarations.element(of: path) != nil
    }
  }
}
