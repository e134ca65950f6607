internal import OfflineTree

/// Gathers runs, which come in causal order and mixed, into long ones of one log each.
struct SegmentCutter {
  private struct Gathered {
    let first: UInt64
    let hashBefore: Bytes32
    var bodies: [ArraySlice<UInt8>]
    var head: Bytes32
    var bytes: Int
  }

  /// Bytes gathered before the longest is given out.
  static let gatheredBytes = 32 << 20

  private var logs: [LogID: Gathered] = [:]
  private var bytes = 0

  /// Takes a run; gives back what is complete, each at most `Segment.targetBytes` or one change.
  mutating func add(_ run: ChangeRun) -> [(run: ChangeRun, head: Bytes32)] {
    var result: [(run: ChangeRun, head: Bytes32)] = []
    for piece in run.pieces(ofAtMost: Segment.targetBytes) {
      let size = piece.byteCount
      if let last = logs[piece.log], last.head == piece.hashBefore,
        last.first + UInt64(last.bodies.count) == piece.first,
        last.bytes + size <= Segment.targetBytes
      {
        logs[piece.log]?.bodies += piece.bodies
        logs[piece.log]?.head = piece.head
        logs[piece.log]?.bytes += size
      } else {
        if let done = take(piece.log) { result.append(done) }
        logs[piece.log] = Gathered(
          first: piece.first, hashBefore: piece.hashBefore, bodies: piece.bodies, head: piece.head, bytes: size)
      }
      bytes += size
    }
    while bytes > Self.gatheredBytes, let longest = logs.max(by: { $0.value.bytes < $1.value.bytes }) {
      if let done = take(longest.key) { result.append(done) }
    }
    return result
  }

  /// All that is left.
  mutating func finish() -> [(run: ChangeRun, head: Bytes32)] {
    logs.keys.sorted().compactMap { take($0) }
  }

  private mutating func take(_ log: LogID) -> (run: ChangeRun, head: Bytes32)? {
    guard let done = logs.removeValue(forKey: log) else { return nil }
    bytes -= done.bytes
    let run = ChangeRun(log: log, first: done.first, hashBefore: done.hashBefore, bodies: done.bodies)
    return (run, done.head)
  }
}
