/// What waits for dropped history, in the table `need`:
///
/// ```
/// key    index u32 ‖ the last dropped number that it needs u64 ‖ key of the waiting change 32
/// value  the first number that it needs u64
/// ```
/// Where everything that was dropped is needed, index and numbers have all bits set. A key of zeros stands for what
/// somebody wanted to do here, one with all bits set for changes for which there was no room.
extension Replica {
  /// The index of what needs everything, and the number.
  private static let everything = (log: Int(UInt32.max), last: UInt64.max)
  /// In place of a waiting change's key: an act of this device, which its user repeats.
  static let ownAct = [UInt8](repeating: 0, count: 32)
  /// In place of the key of a change that needs history, and for which there was no room.
  static let roomless = [UInt8](repeating: 0xFF, count: 32)
  /// Needs of changes for which there was no room, at a time: the others are noted when they are sent again.
  static let roomlessNeeds = 64
  /// Ranges that one waiting change names; more of them are one need of everything.
  private static let needsPerChange = 64
  /// Rows that are looked at when it is asked what is wanted.
  private static let needsLookedAt = 4_096

  private static func needKey(_ log: Int, _ last: UInt64, _ waiting: some Collection<UInt8>) -> [UInt8] {
    RowKey.of(log, last) + waiting
  }

  /// Keeps what a waiting change needs, so that it goes on when that is here.
  func noteNeed(
    of missing: [MissingChanges], by key: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var needs: [(log: Int, first: UInt64, last: UInt64)] = []
    for changes in Set(missing) {
      guard let log = changes.log, logs.indices.contains(log),
        let last = logs[log].dropped.last(from: changes.first, through: changes.last)
      else { continue }
      needs.append((log, changes.first, last))
    }
    if missing.contains(.everything) || needs.count > Replica.needsPerChange {
      needs = [(Replica.everything.log, 0, Replica.everything.last)]
    } else if needs.isEmpty {
      // It came meanwhile: who repeats the act finds it. What waits is looked at again once all is here.
      if key == Replica.ownAct { return }
      needs = [(Replica.everything.log, 0, Replica.everything.last)]
    }
    for (log, first, last) in needs {
      try Replica.putNeed(of: log, first, last, by: key, rows)
    }
  }

  /// The key may stand for more than this already: what it needs then stays.
  private static func putNeed(
    of log: Int, _ first: UInt64, _ last: UInt64, by key: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let row = needKey(log, last, key)
    let known = try rows.get(.need, row).map { RowKey.number($0) } ?? first
    try rows.put(.need, row, RowKey.commit(min(first, known)))
  }

  /// Keeps what is needed by changes for which there was no room: in whole blocks, and no more than a bound.
  func noteRoomlessNeed(
    of missing: [MissingChanges], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var room = Replica.roomlessNeeds
    for need in try Replica.needs(from: [], rows, while: { _ in true }) where need.waiting == Replica.roomless {
      room -= 1
    }
    for changes in Set(missing) {
      var (log, first, last) = (Replica.everything.log, UInt64(0), Replica.everything.last)
      if let index = changes.log {
        guard logs.indices.contains(index),
          let dropped = logs[index].dropped.last(from: changes.first, through: changes.last)
        else { continue }
        (log, first, last) = (index, changes.first - changes.first % block, dropped - dropped % block + block - 1)
      }
      if try rows.get(.need, Replica.needKey(log, last, Replica.roomless)) == nil {
        if room == 0 { continue }
        room -= 1
      }
      try Replica.putNeed(of: log, first, last, by: Replica.roomless, rows)
    }
  }

  /// All that waits is looked at again, and notes anew what it needs; what this device itself needs stays, and what there was no
  /// room for.
  func forgetNeedsOfWaiting(_ rows: borrowing StoreTransaction) throws(TreeError) {
    for need in try Replica.needs(from: [], rows, while: { _ in true }) where need.isOfWaiting {
      try rows.delete(.need, need.key)
    }
  }

  /// Does something that waits here, or an act of this device, need what was dropped?
  ///
  /// What there was no room for does not count: who sends it may never come again.
  func isHistoryNeeded(_ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    var isNeeded = false
    _ = try Replica.needs(from: [], rows) { need in
      isNeeded = need.waiting != Replica.roomless
      return !isNeeded
    }
    return isNeeded
  }

  /// Of changes for which there was no room: they are noted anew when they are sent again.
  func forgetRoomlessNeeds(_ rows: borrowing StoreTransaction) throws(TreeError) {
    for need in try Replica.needs(from: [], rows, while: { $0.waiting == Replica.roomless }) {
      try rows.delete(.need, need.key)
    }
  }

  /// A block is here again: what needed no more than that may go on.
  mutating func freeNeeds(after log: Int, _ block: Range<UInt64>, _ rows: borrowing StoreTransaction) throws(TreeError)
  {
    let found = try Replica.needs(from: RowKey.of(log, block.lowerBound), rows) { need in
      need.log == log && need.last < block.upperBound
    }
    for need in found {
      try rows.delete(.need, need.key)
      if let last = logs[log].dropped.last(from: need.first, through: need.last) {
        try Replica.putNeed(of: log, need.first, last, by: need.waiting, rows)
      } else {
        freed.insert(need.waiting)
      }
    }
    guard !hasGaps else { return }
    for need in try Replica.needs(from: [], rows, while: { _ in true }) { freed.insert(need.waiting) }
    try rows.clear(.need)
  }

  private struct Need {
    let key: [UInt8]
    let log: Int
    let first: UInt64
    let last: UInt64
    let waiting: [UInt8]

    var isOfWaiting: Bool { waiting != Replica.ownAct && waiting != Replica.roomless }
  }

  private static func needs(
    from start: [UInt8], _ rows: borrowing StoreTransaction, while isWanted: (Need) -> Bool
  ) throws(TreeError) -> [Need] {
    try rows.withCursor(.need) { (cursor) throws(TreeError) in
      var needs: [Need] = []
      var isFound = try cursor.seek(atLeast: start)
      while isFound {
        let (key, value) = (cursor.keyBytes, cursor.valueBytes)
        guard key.count == 44, value.count == 8 else { throw TreeError(.damaged, "what waits for history is cut off") }
        let need = Need(
          key: key, log: Int(RowKey.number(key[..<4])), first: RowKey.number(value), last: RowKey.number(key[4..<12]),
          waiting: Array(key[12...]))
        guard isWanted(need) else { break }
        needs.append(need)
        isFound = try cursor.next()
      }
      return needs
    }
  }

  // MARK: What is wanted

  /// What was dropped and is needed; all of it, where this device is to keep everything.
  func wantedHistory(limit: Int, _ rows: borrowing StoreTransaction) throws(TreeError) -> [HistoryGap] {
    guard hasGaps else { return [] }
    if try retention(rows) == .all { return try gaps(in: [.everything], limit: limit, rows) }
    var looked = 0
    let needs = try Replica.needs(from: [], rows) { _ in
      looked += 1
      return looked <= Replica.needsLookedAt
    }
    let missing = needs.map { need in
      need.log == Replica.everything.log
        ? MissingChanges.everything : MissingChanges(log: need.log, first: need.first, last: need.last)
    }
    return try gaps(in: missing, limit: limit, rows)
  }

  /// The gaps among which these changes are, each once, in the order of logs and numbers.
  func gaps(
    in missing: [MissingChanges], limit: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [HistoryGap] {
    if missing.isEmpty { return [] }
    var wanted: [Int: DroppedRanges] = [:]
    for changes in Set(missing) {
      for log in changes.log.map({ $0..<$0 + 1 }) ?? logs.indices where logs.indices.contains(log) {
        for range in logs[log].dropped.ranges where range.lowerBound <= changes.last && range.upperBound > changes.first
        {
          let first = max(range.lowerBound, changes.first)
          let last = min(range.upperBound - 1, changes.last)
          let start = first - first % block
          wanted[log, default: DroppedRanges()].insert(start..<last - last % block + block)
        }
      }
    }
    var gaps: [HistoryGap] = []
    for (log, ranges) in wanted.sorted(by: { $0.key < $1.key }) {
      for range in ranges.ranges {
        for first in stride(from: range.lowerBound, to: range.upperBound, by: Int(block)) {
          if gaps.count >= limit { return gaps }
          gaps.append(try gap(log, at: first, rows))
        }
      }
    }
    return gaps
  }

  /// The gap that begins at a number.
  func gap(_ log: Int, at first: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) -> HistoryGap {
    let last = first + block - 1
    guard let run = try Replica.run(log, holding: first, rows), run.isGap, run.first == first, run.next == last + 1
    else { throw TreeError(.damaged, "dropped history of the log \(logs[log].introduced) has no row") }
    let head = try storedHash(of: Dot(log: log, seq: last), rows)
    return HistoryGap(log: logs[log].introduced, first: first, last: last, hashBefore: run.hashBefore, head: head)
  }

  /// How many changes wait for history, those behind them in their runs aside.
  func changesWaitingForHistory(_ rows: borrowing StoreTransaction) throws(TreeError) -> Int {
    if try rows.isEmpty(.need) { return 0 }
    var waiting: Set<[UInt8]> = []
    _ = try Replica.needs(from: [], rows) { need in
      if need.isOfWaiting { waiting.insert(need.waiting) }
      return true
    }
    return waiting.count
  }
}
