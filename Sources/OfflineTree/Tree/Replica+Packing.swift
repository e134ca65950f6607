/// Compressing rows of changes: whole blocks of a log, several in a row.
extension Replica {
  /// Opened bytes after which a packed row ends, at the next border of a block: measured, larger rows save little and
  /// cost whoever looks for one change.
  static let packedTarget = 256 << 10

  /// Packs the next rows of a log.
  ///
  /// - Returns: Whether there may be more.
  mutating func packNext(
    _ log: Int, _ report: inout CompactionReport, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    let entry = logs[log]
    var end = entry.count - entry.count % block
    var start = max(entry.packedCount, entry.first)
    while let gap = entry.dropped.range(atOrAfter: start), gap.contains(start) { start = gap.upperBound }
    if start >= end {
      // Large changes are packed before they are a block.
      guard try isLarge(log, from: start, rows) else { return false }
      end = entry.count
    }
    let limit = entry.dropped.range(atOrAfter: start).map { min(end, $0.lowerBound) } ?? end
    guard let piece = try gather(log, from: start, upTo: limit, rows) else {
      // Before a gap nothing more can come; at the end the last row may still grow.
      if limit < end { setPacked(log, limit) }
      return limit < end
    }
    try replace(piece, with: [piece.packed], rows)
    report.packedChanges += piece.bodies.count
    report.bytesBefore += piece.bytes
    report.bytesAfter += try rows.get(.run, RowKey.of(log, piece.first))?.count ?? 0
    // A small row at the end grows with what comes.
    let isSmall = piece.bodies.reduce(0) { $0 + $1.count } < Replica.packedTarget / 2
    setPacked(log, isSmall && piece.next == limit ? piece.first : piece.next)
    return piece.next < end
  }

  /// Is what a log has from a number on worth a packed row, though it is no block?
  private func isLarge(_ log: Int, from start: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    var bytes = 0
    if start >= logs[log].count { return false }
    try Replica.forEachRun(log, from: start, showsGaps: true, rows) { run throws(TreeError) in
      if run.form == .plain { bytes += run.bodies.reduce(0) { $0 + $1.count } }
      return bytes < Replica.packedTarget
    }
    return bytes >= Replica.packedTarget
  }

  private mutating func setPacked(_ log: Int, _ count: UInt64) {
    if logs[log].packedCount == count { return }
    logs[log].packedCount = count
    changedLogs.insert(log)
  }

  /// Consecutive changes out of several rows, and what is left of the rows at both ends.
  struct Piece {
    let log: Int
    let first: UInt64
    let hashBefore: Bytes32
    var bodies: [ArraySlice<UInt8>] = []
    /// The hash of the last change.
    var head: Bytes32
    /// The rows in which they were.
    var keys: [[UInt8]] = []
    var bytes = 0
    /// Changes of the first row before the first, and of the last row behind the last.
    var before: [ArraySlice<UInt8>] = []
    var behind: [ArraySlice<UInt8>] = []
    var hashBeforeRow: Bytes32
    var isPacked = false

    var next: UInt64 { first + UInt64(bodies.count) }
    var packed: Row { Row(first: first, hashBefore: hashBefore, bodies: bodies[...], isPacked: true) }
  }

  /// Consecutive changes on their way into a row.
  struct Row {
    let first: UInt64
    let hashBefore: Bytes32
    let bodies: ArraySlice<ArraySlice<UInt8>>
    let isPacked: Bool
  }

  /// Whole blocks for one packed row; nil if what is there is packed already.
  private func gather(
    _ log: Int, from start: UInt64, upTo end: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Piece? {
    var isPacked = true
    var cut = start
    var bytes = 0
    // A single change may be larger than all that may be in a row together.
    var isFull = false
    try Replica.forEachRun(log, from: start, rows) { run throws(TreeError) in
      for body in run.bodies.dropFirst(Int(cut - run.first)) {
        let isTooLarge = bytes + body.count > StoredRun.packedBytes || cut - start >= UInt64(StoredRun.packedCount)
        let isBorder = cut.isMultiple(of: block) || bytes >= 4 * Replica.packedTarget
        let isAtBorder = isBorder && bytes >= Replica.packedTarget
        isFull = cut > start && (isTooLarge || isAtBorder)
        if isFull || cut >= end { return false }
        if run.form == .plain { isPacked = false }
        cut += 1
        bytes += body.count
      }
      return cut < end
    }
    return isPacked ? nil : try piece(log, from: start, upTo: cut, rows)
  }

  /// The changes of a log from one number up to another.
  func piece(
    _ log: Int, from start: UInt64, upTo end: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Piece {
    var piece: Piece?
    let introduced = logs[log].introduced
    try Replica.forEachRun(log, from: start, rows) { run throws(TreeError) in
      if run.first >= end { return false }
      if piece == nil {
        let before = Int(start - run.first)
        let hash = run.hash(before: start, introduced: introduced)
        piece = Piece(log: log, first: start, hashBefore: hash, head: hash, hashBeforeRow: run.hashBefore)
        piece?.before = Array(run.bodies[..<before])
        piece?.isPacked = run.form == .packed
      }
      let lower = max(start, run.first)
      let upper = min(end, run.next)
      piece?.bodies += run.bodies[Int(lower - run.first)..<Int(upper - run.first)]
      piece?.behind = Array(run.bodies[Int(upper - run.first)...])
      piece?.head = run.hash(before: upper, introduced: introduced)
      piece?.keys.append(RowKey.of(log, run.first))
      return run.next < end
    }
    guard var piece, piece.next == end else {
      throw TreeError(
        .damaged, "the changes \(start) to \(end) of the log \(introduced) are not there", advice: Store.damageAdvice)
    }
    for key in piece.keys { piece.bytes += try rows.get(.run, key)?.count ?? 0 }
    return piece
  }

  /// Writes rows in place of those from which a piece was taken.
  func replace(_ piece: Piece, with new: [Row], _ rows: borrowing StoreTransaction) throws(TreeError) {
    for key in piece.keys { try rows.delete(.run, key) }
    var all = new
    if !piece.before.isEmpty {
      let first = piece.first - UInt64(piece.before.count)
      all.append(
        Row(first: first, hashBefore: piece.hashBeforeRow, bodies: piece.before[...], isPacked: piece.isPacked))
    }
    if !piece.behind.isEmpty {
      all.append(Row(first: piece.next, hashBefore: piece.head, bodies: piece.behind[...], isPacked: piece.isPacked))
    }
    for row in all { try put(row, piece.log, rows) }
  }

  /// Writes changes in as many rows as it takes.
  func put(_ row: Row, _ log: Int, _ rows: borrowing StoreTransaction) throws(TreeError) {
    guard row.isPacked else {
      var open = OpenRun(log: log, first: row.first, hashBefore: row.hashBefore)
      for body in row.bodies { open.append(body) }
      return try rows.put(.run, RowKey.of(log, open.first), open.row)
    }
    var rest = row.bodies
    var (first, hash) = (row.first, row.hashBefore)
    while !rest.isEmpty {
      var (count, bytes) = (0, 0)
      for body in rest {
        let isFull = bytes + body.count > StoredRun.packedBytes || count >= StoredRun.packedCount
        if count > 0, isFull { break }
        count += 1
        bytes += body.count
      }
      let part = rest.prefix(count)
      try rows.put(.run, RowKey.of(log, first), try StoredRun.packedRow(part, hashBefore: hash))
      rest = rest.dropFirst(count)
      if rest.isEmpty { return }
      for body in part {
        hash = Change.hash(log: logs[log].introduced, seq: first, previous: hash, body: body)
        first += 1
      }
    }
  }
}
