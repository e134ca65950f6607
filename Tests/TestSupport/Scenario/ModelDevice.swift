package import OfflineTree

/// A device of the model: it knows a set of changes, and writes as docs/merge.md says that a device writes.
package struct ModelDevice: Sendable {
  package private(set) var log: RawLog
  package private(set) var known: [Record]
  private var hashes: Set<Bytes32> = []

  package init(_ log: RawLog, knowing records: [Record]) {
    self.log = log
    known = records
    hashes = Set(records.map(\.hash))
  }

  package func history() throws -> History { try History(space: log.space, known) }

  /// What it knows, of which nobody asks what stands.
  package func places() throws -> History { try History(space: log.space, known, isJudged: false) }

  package mutating func learn(_ records: [Record]) {
    for record in records where hashes.insert(record.hash).inserted { known.append(record) }
  }

  /// The change that a write makes, or nil if it must be refused.
  package mutating func write(at time: Int64, _ writes: [Scenario.Write]) throws -> Record? {
    let history = try history()
    let before = try ModelTree(history)
    var operations: [Operation] = []
    for write in writes {
      let now = operations.isEmpty ? before : try tree(history, with: operations, at: time)
      guard let more = try write.operations(before: before, now: now, declarations: history.declarations) else {
        return nil
      }
      operations += more
    }
    return try keep(try change(history, ModelNormalForm.of(operations), at: time))
  }

  /// A change of these operations, which had seen everything that the device knows.
  @discardableResult
  package mutating func append(_ operations: [Operation], author: Key? = nil, at time: Int64) throws -> Record {
    var change = try change(try places(), ModelNormalForm.of(operations), at: time)
    change.author = author
    return try keep(change)
  }

  /// A change that names none of what other devices made, as if it had seen nothing since the one before it.
  @discardableResult
  package mutating func appendBlindly(
    _ controls: [ControlOperation], _ operations: [Operation], author: Key? = nil, at time: Int64
  ) throws -> Record {
    var change = try change(try places(), ModelNormalForm.of(operations), at: time)
    (change.parents, change.author, change.controls) = ([], author, controls.normalized)
    return try keep(change)
  }

  /// A change of these control operations, which had seen everything that the device knows.
  ///
  /// - Parameter recovery: Signs for them with the owner-recovery key.
  @discardableResult
  package mutating func control(
    _ controls: [ControlOperation], _ operations: [Operation] = [], author: Key? = nil,
    recovery: RecoveryCode? = nil, at time: Int64
  ) throws -> Record {
    var change = try change(try places(), ModelNormalForm.of(operations), at: time)
    (change.author, change.controls) = (author, controls.normalized)
    if let recovery {
      let message = change.recoveryMessage(
        space: log.space, log: log.id, seq: UInt64(log.records.count), previous: log.tip?.hash ?? log.space)
      change.controls = (change.controls + [.recovery(recovery.sign(message))]).normalized
    }
    return try keep(change)
  }

  /// Change 0 of its log, which had seen everything that the device knows.
  @discardableResult
  package mutating func introduce(_ standing: Introduction.Standing, at time: Int64) throws -> Record {
    let history = try places()
    let record = try log.introduce(
      name: "d", standing: standing, parents: parents(history), stamp: history.nextStamp(at: time))
    learn([record])
    return record
  }

  private mutating func keep(_ change: Change) throws -> Record {
    let record = try log.append(change)
    learn([record])
    return record
  }

  private func tree(_ history: History, with operations: [Operation], at time: Int64) throws -> ModelTree {
    var draft = log
    let record = try draft.append(try change(history, ModelNormalForm.of(operations), at: time))
    return try ModelTree(try History(space: log.space, history.records + [record]))
  }

  private func change(_ history: History, _ operations: [Operation], at time: Int64) throws -> Change {
    Change(
      parents: parents(history), stamp: history.nextStamp(at: time), wallTime: time, operations: operations)
  }

  /// The least that says, with the change before, all that is known.
  private func parents(_ history: History) -> [Change.Parent] {
    var covered = BitSet()
    if let tip = log.tip, let index = history.index(of: tip.hash) {
      covered = history.pasts[index]
      covered.insert(index)
    }
    let rest = history.records.indices.filter { !covered.contains($0) }
    return rest.filter { index in !rest.contains { history.saw($0, index) } }
      .map { history.records[$0].parent }.sorted()
  }
}

extension History {
  /// The stamp of a change that has seen everything here.
  package func nextStamp(at time: Int64) -> Stamp {
    let seen = records.indices.filter { faults[$0] == nil }.map { change($0).stamp }.max() ?? .zero
    let now = Stamp(milliseconds: UInt64(clamping: time), counter: 0)
    if now > seen { return now }
    if seen.counter < .max { return Stamp(milliseconds: seen.milliseconds, counter: seen.counter + 1) }
    return Stamp(milliseconds: seen.milliseconds + 1, counter: 0)
  }
}
