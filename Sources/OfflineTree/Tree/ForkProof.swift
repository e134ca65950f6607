/// That one device wrote two histories: two of its own signatures that cannot both be of one log.
///
/// An honest device does it only when its home was restored or copied; whoever signs both on purpose shows it.
public struct ForkProof: Sendable, Equatable {
  /// As introduced.
  public let log: LogID
  public let deviceKey: Bytes32
  public let deviceName: String
  /// The number at which the histories part.
  public let seq: UInt64
  /// Of each history from there on the last head that is signed: its number and hash.
  public let heads: [Head]

  public struct Head: Sendable, Equatable {
    public let seq: UInt64
    public let hash: Bytes32
    package let signature: Signature
  }

  /// Are both signatures the device's? Whether they contradict each other shows the history that this replica holds;
  /// heads of one number and different hashes contradict each other by themselves.
  package func isSigned(space: SpaceID) -> Bool {
    heads.count > 1
      && heads.allSatisfy { head in
        let message = ChangeRun.signedHead(log: log, seq: head.seq, head: head.hash, space: space)
        return Sodium.isValid(head.signature, of: message, byUnknown: deviceKey)
      }
  }
}

extension ReadTransaction {
  /// For each place where a log has forked: what its device signed on both sides.
  /// - Complexity: O(logs).
  public func forkProofs() throws -> [ForkProof] {
    let replica = try replica()
    var places: [LogPosition: [Int]] = [:]
    for (index, log) in replica.logs.enumerated() where log.parent != nil && !log.isEmpty {
      let seq = log.first
      let before = try seq == 0 ? replica.space : replica.parentHash(of: index, rows)
      places[LogPosition(log: log.introduced, seq: seq, hash: before), default: []].append(index)
    }
    return try places.sorted { $0.key < $1.key }.map { place, branches in
      ForkProof(
        log: place.log, deviceKey: replica.logs[branches[0]].device, deviceName: replica.logs[branches[0]].deviceName,
        seq: place.seq, heads: try branches.compactMap { try replica.signedHead(of: $0, rows) })
    }
  }
}

extension LogID {
  fileprivate var padded: Bytes32 { Bytes32(bytes + [UInt8](repeating: 0, count: 16)) }
}

extension Replica {
  fileprivate func parentHash(of branch: Int, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bytes32 {
    guard let parent = logs[branch].parent else { return space }
    var holder = parent
    let seq = logs[branch].first - 1
    while seq < logs[holder].first, let above = logs[holder].parent { holder = above }
    // Branches of one place stand together also where its hash was dropped.
    return try knownHash(of: Dot(log: holder, seq: seq), rows) ?? logs[holder].id.padded
  }

  fileprivate func signedHead(
    of branch: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ForkProof.Head? {
    guard logs[branch].signedCount > logs[branch].first else { return nil }
    let dot = Dot(log: branch, seq: logs[branch].signedCount - 1)
    guard let signature = try signature(of: dot, rows) else { return nil }
    return try knownHash(of: dot, rows).map { ForkProof.Head(seq: dot.seq, hash: $0, signature: signature) }
  }
}
