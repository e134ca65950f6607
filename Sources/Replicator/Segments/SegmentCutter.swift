internal import OfflineTree

/// Gathers runs, which come in causal order and mixed, into long ones of one log and one epoch each.
///
/// A run is never divided: only its last change is signed.
struct SegmentCutter {
  private struct Gathered {
    let first: ChangeRun
    /// Appended to, so that joining many is not quadratic.
    var bodies: [ArraySlice<UInt8>]
    var signature: Signature?
    var head: Bytes32
    var bytes: Int
  }

  /// Bytes gathered before the longest is given out.
  static let gatheredBytes = 32 << 20

  private var logs: [LogID: Gathered] = [:]
  private var bytes = 0

  /// Takes a run; gives back what is complete, each at most `Segment.targetBytes` or one run.
  mutating func add(_ run: ChangeRun) -> [(run: ChangeRun, head: Bytes32)] {
    var result: [(run: ChangeRun, head: Bytes32)] = []
    let size = run.byteCount
    if let last = logs[run.log], Self.follows(run, last), last.bytes + size <= Segment.targetBytes {
      logs[run.log]?.bodies += run.bodies
      logs[run.log]?.signature = run.signature
      logs[run.log]?.head = run.head
      logs[run.log]?.bytes += size
    } else {
      if let done = take(run.log) { result.append(done) }
      logs[run.log] = Gathered(
        first: run, bodies: run.bodies, signature: run.signature, head: run.head, bytes: size)
    }
    bytes += size
    while bytes > Self.gatheredBytes, let longest = logs.max(by: { $0.value.bytes < $1.value.bytes }) {
      if let done = take(longest.key) { result.append(done) }
    }
    return result
  }

  /// All that is left.
  mutating func finish() -> [(run: ChangeRun, head: Bytes32)] {
    logs.keys.sorted().compactMap { take($0) }
  }

  private static func follows(_ run: ChangeRun, _ last: Gathered) -> Bool {
    last.head == run.hashBefore && last.first.first + UInt64(last.bodies.count) == run.first
      && last.first.epoch == run.epoch
  }

  private mutating func take(_ log: LogID) -> (run: ChangeRun, head: Bytes32)? {
    guard let done = logs.removeValue(forKey: log) else { return nil }
    bytes -= done.bytes
    var run = ChangeRun(
      log: log, first: done.first.first, hashBefore: done.first.hashBefore, bodies: done.bodies,
      signature: done.signature)
    run.epoch = done.first.epoch
    return (run, done.head)
  }
}
