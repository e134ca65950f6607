/// Many changes at once, in whatever order they came.
extension Replica {
  /// Applies of the runs what can be applied, in rounds, since one run may wait for another.
  ///
  /// - Parameters:
  ///   - retriesWaiting: Looks at what waits in any case.
  ///   - isTimeUp: Asked now and then; when it says so, what is left comes back as `unfinished`.
  mutating func receive(
    _ runs: [ChangeRun], keepBlocked: Bool, retriesWaiting: Bool = false, _ rows: borrowing StoreTransaction,
    isTimeUp: () -> Bool = { false }
  ) throws(TreeError) -> Reception {
    var reception = Reception()
    // What waits is looked at again, and says then for what.
    if awaited.count > Replica.awaitedLogs { awaited = [:] }
    let (sound, tooFar) = (runs.filter { $0.isWithinLimits }, runs.filter { !$0.isWithinLimits })
    for run in tooFar {
      let error = TreeError(.damaged, "a run of the log \(run.log) ends beyond the last number a change can have")
      reception.refused.append(Reception.Refusal(log: run.log, first: run.first, error: error))
    }
    let sorted = sound.sorted { $0.log != $1.log ? $0.log < $1.log : $0.first < $1.first }
    var pending = sorted.map { IncomingRun($0) }
    try drain(&pending, &reception, rows, isTimeUp)
    // A log that is held back may be what waits, or what waits may free it.
    let isHeldBack = pending.contains { $0.reason == .delayed }
    let mayFree = awaitedChanged && awaited.keys.contains { waiting.holds($0) }
    if reception.applied > 0 || isHeldBack || mayFree || retriesWaiting, !reception.isCut, !waiting.isEmpty {
      // What waits may let the rest go on, and the other way round.
      pending += try takeWaiting(rows).map { IncomingRun($0, isKept: true) }
      try drain(&pending, &reception, rows, isTimeUp)
    }
    for run in pending where run.isKept { try keepWaiting(run.rest, rows) }
    if reception.isCut {
      reception.unfinished = pending.filter { !$0.isKept }.map(\.rest)
      return reception
    }
    for run in pending where !run.isKept {
      let reason = run.reason ?? .missingPrevious
      reception.blocked.append(Reception.Blocked(run: run.rest, reason: reason))
      if keepBlocked { try keepWaiting(run.rest, rows) }
    }
    return reception
  }

  private static let awaitedLogs = 4_096
  /// Changes taken between two looks at the time.
  private static let changesBetweenLooks = 64

  /// Applies what can be applied; what is left in `pending` is blocked.
  private mutating func drain(
    _ pending: inout [IncomingRun], _ reception: inout Reception, _ rows: borrowing StoreTransaction,
    _ isTimeUp: () -> Bool
  ) throws(TreeError) {
    var moved = true
    while moved, !pending.isEmpty, !reception.isCut {
      moved = false
      awaitedChanged = false
      for index in pending.indices where !reception.isCut {
        if try advance(&pending[index], &reception, rows, isTimeUp) { moved = true }
      }
      pending.removeAll { $0.isDone }
      if awaitedChanged, pending.contains(where: { $0.reason == .delayed }) { moved = true }
    }
  }

  /// Takes changes from a run until one is blocked; whether any was taken.
  private mutating func advance(
    _ run: inout IncomingRun, _ reception: inout Reception, _ rows: borrowing StoreTransaction,
    _ isTimeUp: () -> Bool
  ) throws(TreeError) -> Bool {
    let start = run.offset
    switch try check(&run, rows) {
    case .right: break
    case .blocked(let reason):
      run.reason = reason
      return false
    case .refused(let error):
      reception.refused.append(Reception.Refusal(log: run.run.log, first: run.seq, error: error))
      run.stop()
      return false
    }
    while let body = run.current {
      let hash = run.hashes[run.offset]
      switch try receive(body, log: run.run.log, seq: run.seq, previous: run.previous, hash: hash, rows) {
      case .duplicate:
        reception.duplicates += 1
      case .applied(let void, let isFork):
        reception.applied += 1
        if isFork { reception.forked.append(run.run.log) }
        if let void { reception.voids.append((run.run.log, run.seq, void)) }
      case .blocked(let reason):
        run.reason = reason
        return run.offset > start
      case .refused(let error):
        reception.refused.append(Reception.Refusal(log: run.run.log, first: run.seq, error: error))
        run.stop()
        return run.offset > start
      }
      run.take(hash)
      if run.isDone { try keepSignature(of: run, hash, rows) }
      if (reception.applied + reception.duplicates).isMultiple(of: Replica.changesBetweenLooks), isTimeUp() {
        reception.isCut = true
        break
      }
    }
    return run.offset > start
  }
}

extension Replica {
  private enum Check {
    case right
    case blocked(Reception.Reason)
    case refused(TreeError)
  }

  /// Before the first of its changes is taken: has the log's device signed the last one? What is here already needs no
  /// look, and whose device is not known waits.
  private mutating func check(_ run: inout IncomingRun, _ rows: borrowing StoreTransaction) throws(TreeError) -> Check {
    if run.isChecked { return .right }
    let (log, first) = (run.run.log, run.run.first)
    var key = device(of: log)
    if key == nil, first == 0, let body = run.run.bodies.first {
      do throws(TreeError) {
        switch try Change.decode(body) {
        case .unknown: return .blocked(.unknownVersion)
        case .change(let change, _): key = change.introduction?.deviceKey
        }
      } catch {
        return .refused(error)
      }
      if key == nil { return .refused(TreeError(.damaged, "change 0 of the log \(log) is no introduction")) }
    }
    guard let key, let head = run.hashes.last else { return .blocked(.missingPrevious) }
    let isHere = try find(log, run.run.last, rows) { $0 == head } != nil
    if !isHere {
      if let error = signatureFault(run.run, device: key, head: head) { return .refused(error) }
      run.isVerified = true
    }
    run.isChecked = true
    return .right
  }

  /// Keeps the signature of a run whose last change is the last of its log or branch.
  private mutating func keepSignature(
    of incoming: IncomingRun, _ head: Bytes32, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let run = incoming.run
    guard let signature = run.signature else { return }
    for index in indices[run.log] ?? [] where logs[index].count == run.last + 1 && logs[index].head == head {
      guard logs[index].signedCount < logs[index].count, !logs[index].isEmpty else { continue }
      if !incoming.isVerified, signatureFault(run, device: logs[index].device, head: head) != nil { continue }
      try keep(signature, of: Dot(log: index, seq: run.last), rows)
    }
  }
}

/// A run that is being taken in.
private struct IncomingRun {
  let run: ChangeRun
  /// Has it waited here already?
  let isKept: Bool
  /// Of each of its changes.
  let hashes: [Bytes32]
  /// Was it looked at whether it is its device's? What is here already was when it came.
  var isChecked = false
  var isVerified = false
  private(set) var offset = 0
  private(set) var previous: Bytes32
  var reason: Reception.Reason?

  init(_ run: ChangeRun, isKept: Bool = false) {
    self.run = run
    self.isKept = isKept
    previous = run.hashBefore
    hashes = run.hashes
  }

  var seq: UInt64 { run.first + UInt64(offset) }
  var isDone: Bool { offset == run.bodies.count }
  var current: ArraySlice<UInt8>? { isDone ? nil : run.bodies[offset] }
  var rest: ChangeRun {
    ChangeRun(
      log: run.log, first: seq, hashBefore: previous, bodies: Array(run.bodies[offset...]), signature: run.signature)
  }

  mutating func take(_ hash: Bytes32) {
    previous = hash
    offset += 1
  }

  mutating func stop() { offset = run.bodies.count }
}
