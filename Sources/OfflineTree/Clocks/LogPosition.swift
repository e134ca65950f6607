/// One change named so that it can be checked: its log, its number in the log, its hash.
///
/// `log` is always the id under which the log was introduced; where a log has forked, the hash tells the branches apart.
public struct LogPosition: Hashable, Sendable, Comparable {
  public let log: LogID
  public let seq: UInt64
  public let hash: Bytes32

  public init(log: LogID, seq: UInt64, hash: Bytes32) {
    self.log = log
    self.seq = seq
    self.hash = hash
  }

  public static func < (left: LogPosition, right: LogPosition) -> Bool {
    if left.log != right.log { return left.log < right.log }
    return left.seq != right.seq ? left.seq < right.seq : left.hash < right.hash
  }
}

/// What a replica has: the last change of every log, and of every branch of a log that has forked.
///
/// Two replicas with equal clocks hold equal sets of changes, since every position commits by its hash to all before it.
public struct VectorClock: Hashable, Sendable {
  /// Sorted, no position twice.
  public let positions: [LogPosition]

  public init(_ positions: some Sequence<LogPosition>) {
    self.positions = positions.sorted()
  }

  /// Hash of the whole clock: equal digests mean equal clocks.
  public var digest: Bytes32 {
    var bytes: [UInt8] = Array("OT clock 0".utf8)
    for position in positions {
      bytes += position.log.bytes
      bytes += withBytes(of: position.seq)
      bytes += position.hash.bytes
    }
    return Sodium.hash32(bytes)
  }

  private func withBytes(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
