package import OfflineTree

/// One change as it was written: its place in its log, its bytes, and what they say.
package struct Record: Sendable {
  /// The id under which the log was introduced.
  package let log: LogID
  package let seq: UInt64
  package let previous: Bytes32
  package let hash: Bytes32
  package let body: [UInt8]
  /// What its device signed of it, where that is known.
  package private(set) var signature: Signature?
  /// Nil where the bytes are of a kind or version that is not known.
  package let change: Change?
  /// Why the content alone makes the change void.
  package let fault: String?

  /// - Parameter signature: Makes the signature from the change's hash.
  /// - Throws: `damaged` if the bytes do not decode: such a change does not exist.
  package init(
    log: LogID, seq: UInt64, previous: Bytes32, body: [UInt8], signature: (Bytes32) -> Signature? = { _ in nil }
  ) throws(TreeError) {
    self.log = log
    self.seq = seq
    self.previous = previous
    self.body = body
    hash = Change.hash(log: log, seq: seq, previous: previous, body: body)
    self.signature = signature(hash)
    switch try Change.decode(body[...]) {
    case .change(let change, let fault):
      self.change = change
      self.fault = fault
    case .unknown:
      change = nil
      fault = nil
    }
  }

  package var position: LogPosition { LogPosition(log: log, seq: seq, hash: hash) }

  /// How a later change names this one as its parent.
  package var parent: Change.Parent { Change.Parent(log: log, seq: seq, hash: hash.prefix16) }

  /// The same with another signature, made from its hash.
  package func signed(_ signature: (Bytes32) -> Signature?) -> Record {
    var copy = self
    copy.signature = signature(hash)
    return copy
  }

  /// The change alone, signed if it is.
  package var run: ChangeRun {
    ChangeRun(log: log, first: seq, hashBefore: previous, bodies: [body[...]], signature: signature)
  }
}

extension ChangeRun {
  /// The run's changes one by one; the last has the run's signature.
  package func records() throws(TreeError) -> [Record] {
    var result: [Record] = []
    var before = hashBefore
    for (offset, body) in bodies.enumerated() {
      let isLast = offset == bodies.count - 1
      let record = try Record(
        log: log, seq: first + UInt64(offset), previous: before, body: Array(body),
        signature: { _ in isLast ? signature : nil })
      before = record.hash
      result.append(record)
    }
    return result
  }

  /// Consecutive changes of one log as one run, with the signature of the last.
  package init?(_ records: some Collection<Record>) {
    guard let first = records.first else { return nil }
    self.init(
      log: first.log, first: first.seq, hashBefore: first.previous, bodies: records.map { $0.body[...] },
      signature: Array(records).last?.signature)
  }
}

/// A log written by hand: it numbers, chains and signs what it is given and checks nothing.
package struct RawLog: Sendable {
  package let space: SpaceID
  package let device: TestDevice
  package let random: Bytes16
  package let id: LogID
  /// Every one of them is signed, so that the log can be cut anywhere.
  package private(set) var records: [Record] = []

  package init(space: SpaceID, device: TestDevice, random: Bytes16) {
    self.space = space
    self.device = device
    self.random = random
    id = Introduction.logID(space: space, deviceKey: device.key, random: random)
  }

  package var deviceKey: Bytes32 { device.key }

  package var tip: Record? { records.last }

  /// The whole log.
  package var run: ChangeRun {
    ChangeRun(records) ?? ChangeRun(log: id, first: 0, hashBefore: space, bodies: [])
  }

  @discardableResult
  package mutating func append(body: [UInt8]) throws(TreeError) -> Record {
    let seq = UInt64(records.count)
    let record = try Record(
      log: id, seq: seq, previous: tip?.hash ?? space, body: body, signature: { signature(of: seq, $0) })
    records.append(record)
    return record
  }

  /// What the device signs of a change of this log.
  package func signature(of seq: UInt64, _ hash: Bytes32) -> Signature {
    device.signingKey.sign(ChangeRun.signedHead(log: id, seq: seq, head: hash, space: space))
  }

  /// A run of this log of any bytes, signed by its device; behind the tip, if nothing else is said.
  package func run(of bodies: [[UInt8]], at seq: UInt64? = nil, after previous: Bytes32? = nil) -> ChangeRun {
    var run = ChangeRun(
      log: id, first: seq ?? UInt64(records.count), hashBefore: previous ?? tip?.hash ?? space,
      bodies: bodies.map { $0[...] })
    // A number that no change can have has no head.
    if run.first < .max - UInt64(bodies.count) { run.signature = signature(of: run.last, run.head) }
    return run
  }

  @discardableResult
  package mutating func append(_ change: Change) throws(TreeError) -> Record { try append(body: change.body) }

  @discardableResult
  package mutating func introduce(
    name: String, standing: Introduction.Standing = .open, parents: [Change.Parent] = [], stamp: Stamp
  ) throws(TreeError) -> Record {
    let introduction = Introduction(
      random: random, deviceKey: device.key, boxKey: device.boxKey, deviceName: name, standing: standing)
    return try append(
      Change(parents: parents.sorted(), stamp: stamp, wallTime: 0, introduction: introduction))
  }

  /// The log as it was after its first `count` changes: what a restored backup goes on with.
  package func prefix(_ count: Int) -> RawLog {
    var copy = self
    copy.records = Array(records.prefix(count))
    return copy
  }
}
