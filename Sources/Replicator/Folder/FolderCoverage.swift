internal import OfflineTree

/// What of a database's changes the readable files of a folder hold.
///
/// Only files whose last change the database has are counted: the database then knows every change in them.
struct FolderCoverage {
  /// As far as the files lead from change 0 without a gap: what need not be published.
  let clock: VectorClock
  /// Beyond a gap, for logs that have not forked: numbers that files hold all the same.
  private let islands: [LogID: [ClosedRange<UInt64>]]

  /// - Parameters:
  ///   - pieces: For each file the header, and the last change in it that the database has.
  ///   - clock: The database's.
  ///   - isBelow: Whether the first position is in the past of the second, which the database has, by their log alone.
  init(
    _ pieces: some Sequence<(header: SegmentHeader, last: LogPosition)>, of clock: VectorClock,
    isBelow: (LogPosition, LogPosition) throws -> Bool
  ) rethrows {
    var byLog: [LogID: [(header: SegmentHeader, last: LogPosition)]] = [:]
    for piece in pieces { byLog[piece.header.log, default: []].append(piece) }
    var tips: [LogID: Int] = [:]
    for position in clock.positions { tips[position.log, default: 0] += 1 }
    var positions: [LogPosition] = []
    var islands: [LogID: [ClosedRange<UInt64>]] = [:]
    for (log, unsorted) in byLog {
      let pieces = unsorted.sorted { ($0.header.first, $0.last) < ($1.header.first, $1.last) }
      if tips[log] == 1 {
        var reached: LogPosition?
        for piece in pieces {
          if piece.header.first <= reached.map({ $0.seq + 1 }) ?? 0 {
            if piece.last.seq >= reached?.seq ?? 0 { reached = piece.last }
          } else {
            islands[log, default: []].append(piece.header.first...piece.last.seq)
          }
        }
        if let reached { positions.append(reached) }
      } else {
        positions += try Self.branches(pieces, isBelow)
      }
    }
    self.clock = VectorClock(positions)
    self.islands = islands
  }

  /// Of a forked log only what chains by hash counts: numbers alone do not say which branch a file is of.
  private static func branches(
    _ pieces: [(header: SegmentHeader, last: LogPosition)], _ isBelow: (LogPosition, LogPosition) throws -> Bool
  ) rethrows -> [LogPosition] {
    var reached: Set<LogPosition> = []
    var passed: Set<LogPosition> = []
    for piece in pieces {
      if piece.header.first > 0 {
        let before = LogPosition(log: piece.header.log, seq: piece.header.first - 1, hash: piece.header.hashBefore)
        if reached.contains(before) {
          passed.insert(before)
        } else {
          // The branch may leave another one in the middle of a file.
          let tips = reached.subtracting(passed)
          guard try tips.contains(where: { try $0.seq > before.seq && isBelow(before, $0) }) else { continue }
        }
      }
      reached.insert(piece.last)
    }
    return Array(reached.subtracting(passed))
  }

  /// What of a run no file beyond a gap holds.
  ///
  /// - Complexity: O(1) for a log without such files; else O(bytes), which are hashed.
  func missing(of run: ChangeRun) -> [ChangeRun] {
    guard let held = islands[run.log] else { return [run] }
    var result: [ChangeRun] = []
    var (start, before, hash, island) = (0, run.hashBefore, run.hashBefore, 0)
    for (index, body) in run.bodies.enumerated() {
      let seq = run.first + UInt64(index)
      // Sorted by their first number; one that ends earlier than another before it holds nothing more.
      while island < held.count, held[island].upperBound < seq { island += 1 }
      let isHeld = island < held.count && held[island].contains(seq)
      if isHeld, index > start { result.append(Self.part(of: run, start..<index, before)) }
      hash = Change.hash(log: run.log, seq: seq, previous: hash, body: body)
      if isHeld { (start, before) = (index + 1, hash) }
    }
    if start < run.bodies.count { result.append(Self.part(of: run, start..<run.bodies.count, before)) }
    return result
  }

  private static func part(of run: ChangeRun, _ range: Range<Int>, _ before: Bytes32) -> ChangeRun {
    ChangeRun(
      log: run.log, first: run.first + UInt64(range.lowerBound), hashBefore: before, bodies: Array(run.bodies[range]))
  }
}
