/// Consecutive changes of one log, as they are stored, filed and sent.
package struct ChangeRun: Equatable, Sendable {
  /// The id under which the log was introduced.
  package let log: LogID
  /// The number of the first change.
  package let first: UInt64
  /// The hash of the change before the first; the space's id before change 0.
  package let hashBefore: Bytes32
  /// The canonical bytes of each change.
  package private(set) var bodies: [ArraySlice<UInt8>]
  /// What its device signed of its last change; nil if nothing is signed there.
  package var signature: Signature?
  /// The epoch in which it is to be sealed, if its key is here; set where it is handed out.
  package var epoch: EpochID?
  /// The epochs that its changes had seen beside each other; none in the space's first.
  var epochs: [EpochID] = []

  package init(
    log: LogID, first: UInt64, hashBefore: Bytes32, bodies: [ArraySlice<UInt8>], signature: Signature? = nil
  ) {
    self.log = log
    self.first = first
    self.hashBefore = hashBefore
    self.bodies = bodies
    self.signature = signature
  }

  /// The number of the last change.
  /// - Precondition: the run is not empty.
  package var last: UInt64 { first + UInt64(bodies.count) - 1 }

  /// Do all its changes have numbers that changes can have?
  var isWithinLimits: Bool {
    first < Limits.changesPerLog && UInt64(bodies.count) < Limits.changesPerLog - first
  }

  /// Adds the change behind the last.
  mutating func append(_ body: ArraySlice<UInt8>) { bodies.append(body) }

  /// The message that a device signs to vouch for a log up to a change: log id ‖ number ‖ hash.
  package static func signedHead(log: LogID, seq: UInt64, head: Bytes32, space: SpaceID) -> [UInt8] {
    var writer = ByteWriter(capacity: 56)
    writer.append(log)
    writer.u64(seq)
    writer.append(head)
    return SignaturePurpose.head.message(space, writer.bytes)
  }

  package var byteCount: Int { bodies.reduce(0) { $0 + $1.count } }

  /// The hash of each change: O(bytes).
  package var hashes: [Bytes32] {
    var hash = hashBefore
    return bodies.enumerated().map { offset, body in
      hash = Change.hash(log: log, seq: first + UInt64(offset), previous: hash, body: body)
      return hash
    }
  }

  /// The hash of the last change: O(bytes).
  package var head: Bytes32 {
    var hash = hashBefore
    for (offset, body) in bodies.enumerated() {
      hash = Change.hash(log: log, seq: first + UInt64(offset), previous: hash, body: body)
    }
    return hash
  }
}
