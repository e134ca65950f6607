package import OfflineTree

/// One change as it was written: its place in its log, its bytes, and what they say.
package struct Record: Sendable {
  /// The id under which the log was introduced.
  package let log: LogID
  package let seq: UInt64
  package let previous: Bytes32
  package let hash: Bytes32
  package let body: [UInt8]
  /// Nil where the bytes are of a kind or version that is not known.
  package let change: Change?
  /// Why the content alone makes the change void.
  package let fault: String?

  /// - Throws: `damaged` if the bytes do not decode: such a change does not exist.
  package init(log: LogID, seq: UInt64, previous: Bytes32, body: [UInt8]) throws(TreeError) {
    self.log = log
    self.seq = seq
    self.previous = previous
    self.body = body
    hash = Change.hash(log: log, seq: seq, previous: previous, body: body)
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

  package var run: ChangeRun { ChangeRun(log: log, first: seq, hashBefore: previous, bodies: [body[...]]) }
}

extension ChangeRun {
  /// The run's changes one by one.
  package func records() throws(TreeError) -> [Record] {
    var result: [Record] = []
    var before = hashBefore
    for (offset, body) in bodies.enumerated() {
      let record = try Record(log: log, seq: first + UInt64(offset), previous: before, body: Array(body))
      before = record.hash
      result.append(record)
    }
    return result
  }
}

/// A log written by hand: it numbers and chains what it is given and checks nothing.
package struct RawLog: Sendable {
  package let space: SpaceID
  package let deviceKey: Bytes32
  package let random: Bytes16
  package let id: LogID
  package private(set) var records: [Record] = []

  package init(space: SpaceID, deviceKey: Bytes32, random: Bytes16) {
    self.space = space
    self.deviceKey = deviceKey
    self.random = random
    id = Introduction.logID(space: space, deviceKey: deviceKey, random: random)
  }

  package var tip: Record? { records.last }

  @discardableResult
  package mutating func append(body: [UInt8]) throws(TreeError) -> Record {
    let record = try Record(
      log: id, seq: UInt64(records.count), previous: tip?.hash ?? space, body: body)
    records.append(record)
    return record
  }

  @discardableResult
  package mutating func append(_ change: Change) throws(TreeError) -> Record { try append(body: change.body) }

  @discardableResult
  package mutating func introduce(
    name: String, standing: Introduction.Standing = .open, parents: [Change.Parent] = [], stamp: Stamp
  ) throws(TreeError) -> Record {
    let introduction = Introduction(random: random, deviceKey: deviceKey, deviceName: name, standing: standing)
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
