/// How a local write becomes a change.
extension Replica {
  /// What a local write needs besides its operations.
  struct Draft: Sendable {
    var author: Key?
    var isImport = false
    var bindings: [ElementBinding] = []
    var controls: [ControlOperation] = []
    var operations: [Operation] = []
    var wallTime: Int64
    /// Signs the control operations, if they are to act with its authority.
    var recovery: RecoveryCode?
  }

  /// Makes a change of this device's log, and applies it.
  mutating func write(
    _ draft: Draft, deviceName: String, environment: Environment, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let log = try logToWrite(deviceName: deviceName, environment: environment, rows)
    while frontier.count > Limits.changeParents {
      // More than one change can name: changes that do nothing name them first.
      let parents = try frontierParents(without: log, rows)
      let stamp = try nextStamp(draft.wallTime)
      let change = Change(parents: parents.map(\.parent), stamp: stamp, wallTime: draft.wallTime, operations: [])
      try commit(change, parents: parents.map(\.dot), log: log, rows)
    }
    let parents = try frontierParents(without: log, rows)
    var change = Change(
      parents: parents.map(\.parent), stamp: try nextStamp(draft.wallTime), wallTime: draft.wallTime,
      author: draft.author, isImport: draft.isImport, bindings: draft.bindings, controls: draft.controls,
      operations: draft.operations)
    if let recovery = draft.recovery {
      let message = change.recoveryMessage(
        space: space, log: logs[log].introduced, seq: logs[log].count, previous: logs[log].head)
      change.controls = (change.controls + [.recovery(recovery.sign(message))]).normalized
    }
    try commit(change, parents: parents.map(\.dot), log: log, rows)
  }

  /// The log that this device writes to; begins one if it has none, or has to leave it.
  private mutating func logToWrite(
    deviceName: String, environment: Environment, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Int {
    guard genesis != nil else {
      throw TreeError(
        .refused, "this device knows nothing of the space yet",
        advice: "Sync once first: add a remote and run sync.")
    }
    if let currentLog, !mustLeave { return currentLog }
    if !isIntroduced {
      guard let claim = try claim(rows) else {
        throw TreeError(
          .refused, "this home was restored to be read: it is no device of the space",
          advice: "Restore into another home, with the device's keys or an invite.")
      }
      guard admits(claim) else { throw refusal(of: claim) }
      return try introduce(by: claim, environment.wallClock(), rows)
    }
    let random = Bytes16(environment.randomBytes(16))
    return try introduce(
      random: random, deviceName: deviceName, standing: .open, wallTime: environment.wallClock(), stamp: nil, rows)
  }

  /// Begins a log of this device with its change 0.
  mutating func introduce(
    random: Bytes16, deviceName: String, standing: Introduction.Standing, wallTime: Int64, stamp: Stamp?,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Int {
    guard let keys else { throw TreeError(.internal, "only the writer begins logs") }
    let introduction = Introduction(
      random: random, deviceKey: device, boxKey: keys.boxKey, deviceName: deviceName, standing: standing)
    let id = introduction.logID(space: space)
    guard indices[id] == nil else { throw TreeError(.internal, "the log \(id) exists already") }
    let first = standing.invite.flatMap { authority.registration(of: $0) }?.log
    let parents = try frontierParents(without: nil, first: first, rows)
    let log = addLog(LogEntry(introduced: id, id: id, parent: nil, first: 0, head: space))
    var change = Change(
      parents: parents.map(\.parent), stamp: .zero, wallTime: wallTime, introduction: introduction)
    if let stamp { change.stamp = stamp } else { change.stamp = try nextStamp(wallTime) }
    try commit(change, parents: parents.map(\.dot), log: log, rows)
    currentLog = log
    mustLeave = false
    return log
  }

  private func nextStamp(_ wallTime: Int64) throws(TreeError) -> Stamp {
    guard let stamp = Stamp.next(after: highestStamp ?? .zero, wallClock: wallTime) else {
      throw TreeError(.limitExceeded, "there is no stamp above those of the space")
    }
    return stamp
  }

  /// The minimal list whose closure, with the change before, is everything that is here, as far as a change can name it.
  private mutating func frontierParents(
    without log: Int?, first needed: Int? = nil, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [(parent: Change.Parent, dot: Dot)] {
    var result: [(parent: Change.Parent, dot: Dot)] = []
    // First what a new log stands on, should there be more than one change can name: this device's own logs, or the one
    // that registers its invite; then logs of members.
    func rank(_ index: Int) -> Int {
      if logs[index].device == device || index == needed { return 0 }
      return authority.isMember(root: root(of: index)) ? 1 : 2
    }
    let edge = frontier.filter { $0.key != log }.map { (rank: rank($0.key), key: $0.key, value: $0.value) }
      .sorted { ($0.rank, $0.key) < ($1.rank, $1.key) }
    for (_, index, seq) in edge.prefix(Limits.changeParents) {
      let dot = Dot(log: index, seq: seq)
      let hash = try self.hash(of: dot, rows).prefix16
      result.append((Change.Parent(log: logs[index].introduced, seq: seq, hash: hash), dot))
    }
    return result.sorted { $0.parent < $1.parent }
  }

  /// Holds this device's own acts of authority to what others hold them to: what is wrong would count here alone.
  private func requireForm(_ body: [UInt8]) throws(TreeError) {
    guard case .change(_, let fault) = try Change.decode(body[...]) else {
      throw TreeError(.internal, "this device would write what it does not understand")
    }
    if let fault {
      throw TreeError(.limitExceeded, "the change cannot be made: \(fault)", advice: "Do it in several steps.")
    }
  }

  private mutating func commit(
    _ change: Change, parents: [Dot], log: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let entry = logs[log]
    let body = change.body
    if body.count > Limits.changeBytes || change.operations.count > Limits.changeOperations {
      throw TreeError(
        .limitExceeded, "the write has \(body.count) bytes and \(change.operations.count) operations",
        advice: "Write it in several smaller ones; import does so by itself.")
    }
    if !change.controls.isEmpty { try requireForm(body) }
    let dot = Dot(log: log, seq: entry.count)
    let hash = Change.hash(log: entry.introduced, seq: dot.seq, previous: entry.head, body: body)
    // Others may hold all before it and not it, or be in another epoch: there has to be a signed head between.
    if !parents.isEmpty || change.isBorder { try signHead(of: log, rows) }
    let void = try apply(
      change, fault: nil, parents: parents, at: dot, previous: entry.head, hash: hash, rows)
    if let void, !allowsVoidWrites { throw refusal(void, of: change) }
    try append(body[...], log: log, seq: dot.seq, hashBefore: entry.head, rows)
    if change.isBorder || logs[log].unsignedBytes >= LogEntry.signedSpan { try signHead(of: log, rows) }
  }

  /// Why this device's own change may not be made, for people.
  private func refusal(_ reason: String, of change: Change) -> TreeError {
    if authority.isEnded(device) {
      return TreeError(
        .refused, "this device may not do that: \(reason)",
        advice:
          "It is out of the space: what it has stays readable here. To come back it needs a new invite and a new home."
      )
    }
    if change.author != nil || !change.operations.isEmpty, authority.rank(of: device) >= .member {
      return TreeError(.refused, "permission denied: \(reason)", advice: "The space's rules say what may be written.")
    }
    return TreeError(
      .refused, "this device may not do that: \(reason)",
      advice: "Ask an owner to do it, or to give this device the role.")
  }
}
