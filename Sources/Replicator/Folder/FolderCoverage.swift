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

  /// Do files beyond a gap hold every change of the run? A part of it would end unsigned and cannot be written.
  func covers(_ run: ChangeRun) -> Bool {
    var next = run.first
    // Sorted by their first number.
    for island in islands[run.log] ?? [] where island.contains(next) {
      if island.upperBound >= run.last { return true }
      next = island.upperBound + 1
    }
    return false
  }
}
