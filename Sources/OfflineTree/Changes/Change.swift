/// The unit of commit and of replication: what one write did, and what it had seen.
///
/// Its log, its number and the hash before it are not part of its bytes: they follow from its place in the log, and
/// are hashed with it (`hash(log:seq:previous:body:)`).
package struct Change: Equatable, Sendable {
  /// A change of another log in the context, with the first half of its hash.
  package struct Parent: Hashable, Comparable, Sendable {
    package let log: LogID
    package let seq: UInt64
    package let hash: Bytes16

    package init(log: LogID, seq: UInt64, hash: Bytes16) {
      self.log = log
      self.seq = seq
      self.hash = hash
    }

    package static func < (left: Parent, right: Parent) -> Bool {
      if left.log != right.log { return left.log < right.log }
      return left.seq != right.seq ? left.seq < right.seq : left.hash < right.hash
    }
  }

  package var parents: [Parent]
  package var stamp: Stamp
  /// Milliseconds since 1970 by the writer's clock: the time that people see.
  package var wallTime: Int64
  /// The user who acted, or nil.
  package var author: Key?
  /// Set by an import: an owner's import may make elements whose keys are bound to other devices.
  package var isImport: Bool
  /// For elements of `own` sets, sorted by element.
  package var bindings: [ElementBinding]
  /// Change 0 of a log has an introduction and no operations, every other change no introduction. One without operations
  /// only names parents that the next one has no room for.
  package var introduction: Introduction?
  /// Acts of authority, in normal form; they count as the change's past for its other operations.
  package var controls: [ControlOperation]
  package var operations: [Operation]

  package init(
    parents: [Parent], stamp: Stamp, wallTime: Int64, author: Key? = nil, isImport: Bool = false,
    bindings: [ElementBinding] = [], introduction: Introduction? = nil, controls: [ControlOperation] = [],
    operations: [Operation] = []
  ) {
    self.parents = parents
    self.stamp = stamp
    self.wallTime = wallTime
    self.author = author
    self.isImport = isImport
    self.bindings = bindings
    self.introduction = introduction
    self.controls = controls
    self.operations = operations
  }

  /// Does it act with the authority of the owner-recovery key, as far as its own words go?
  package var recoverySignature: Signature? {
    for case .recovery(let signature) in controls { return signature }
    return nil
  }

  /// What the owner-recovery key signs: the change at its place, all of it but the signature. No other change can carry
  /// it, nor one that claims to have seen something else.
  package func recoveryMessage(space: SpaceID, log: LogID, seq: UInt64, previous: Bytes32) -> [UInt8] {
    var unsigned = self
    unsigned.controls.removeAll { if case .recovery = $0 { true } else { false } }
    let hash = Change.hash(log: log, seq: seq, previous: previous, body: unsigned.body)
    return SignaturePurpose.recovery.message(space, hash.bytes)
  }

  /// The binding of an element's key. O(log n): they are sorted, or the change is void.
  package func binding(of element: PathKey) -> ElementBinding? {
    var (low, high) = (0, bindings.count)
    while low < high {
      let middle = (low + high) / 2
      if bindings[middle].element < element { low = middle + 1 } else { high = middle }
    }
    return low < bindings.count && bindings[low].element == element ? bindings[low] : nil
  }

  /// BLAKE2b-256 of log id ‖ seq ‖ hash before ‖ body: the link of the chain.
  package static func hash(log: LogID, seq: UInt64, previous: Bytes32, body: some Collection<UInt8>) -> Bytes32 {
    var writer = ByteWriter(capacity: 56 + body.count)
    writer.append(log)
    writer.u64(seq)
    writer.append(previous)
    var bytes = writer.bytes
    bytes.append(contentsOf: body)
    return Sodium.hash32(bytes)
  }
}
