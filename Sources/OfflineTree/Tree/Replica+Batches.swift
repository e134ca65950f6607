/// Many changes at once, in whatever order they came.
extension Replica {
  /// Applies of the runs what can be applied, and of what waits what that lets go on.
  ///
  /// Each run is looked at once, and again when what it waited for is here: what waits costs nothing until then.
  /// - Parameter isTimeUp: Asked now and then; when it says so, what is left comes back as `unfinished`.
  mutating func receive(
    _ runs: [ChangeRun], keepBlocked: Bool, _ rows: borrowing StoreTransaction, isTimeUp: () -> Bool = { false }
  ) throws(TreeError) -> Reception {
    var reception = Reception()
    forgetAwaited()
    let (sound, tooFar) = (runs.filter { $0.isWithinLimits }, runs.filter { !$0.isWithinLimits })
    for run in tooFar {
      let error = TreeError(.damaged, "a run of the log \(run.log) ends beyond the last number a change can have")
      reception.refused.append(Reception.Refusal(log: run.log, first: run.first, error: error))
    }
    let sorted = sound.sorted { $0.log != $1.log ? $0.log < $1.log : $0.first < $1.first }
    var incoming = IncomingRuns(sorted.map { IncomingRun($0) })
    try drain(&incoming, &reception, rows, isTimeUp)
    while !reception.isCut {
      let kept = try takeFreed(rows)
      if kept.isEmpty { break }
      // What waits may let the rest go on, and the other way round.
      incoming.add(kept.map { IncomingRun($0, isKept: true) })
      try drain(&incoming, &reception, rows, isTimeUp)
    }
    for run in incoming.rest where run.isKept {
      try keepOrNote(run.rest, for: run.reason, missing: run.missing, rows)
    }
    // The row behind a gap says where it ends: it may be buffered.
    try closeRun(rows)
    reception.wanted = try gaps(in: incoming.rest.flatMap(\.missing), limit: Replica.wantedLimit, rows)
    if reception.isCut {
      reception.unfinished = incoming.rest.filter { !$0.isKept }.map(\.rest)
      return reception
    }
    for run in incoming.rest where !run.isKept {
      let reason = run.reason ?? .missingPrevious
      reception.blocked.append(Reception.Blocked(run: run.rest, reason: reason))
      if keepBlocked || waitsForUpdate(run.run.log, reason) {
        try keepOrNote(run.rest, for: reason, missing: run.missing, rows)
      }
    }
    return reception
  }

  /// Is it of a newer version, or behind such a change that waits here? A device passes that on, and so has to keep it
  /// wherever it came from: its signature may be the only one for what was taken before it.
  private func waitsForUpdate(_ log: LogID, _ reason: Reception.Reason) -> Bool {
    switch reason {
    case .unknownVersion: true
    case .missingPrevious: waiting.holds(log)
    case .missingParent(let parent): waiting.holds(parent.log)
    case .missingGenesis, .delayed, .missingHistory: false
    }
  }

  /// Where there is no room for what needs dropped history, the need alone is kept: whoever sent it sends it again, and
  /// by then what it needs may be here.
  private mutating func keepOrNote(
    _ run: ChangeRun, for reason: Reception.Reason?, missing: [MissingChanges], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if try keepWaiting(run, for: reason, missing: missing, rows) { return }
    if reason == .missingHistory { try noteRoomlessNeed(of: missing, rows) }
  }

  /// Gaps that are named to whoever handed in what needs them.
  private static let wantedLimit = 64

  /// Changes taken between two looks at the time.
  private static let changesBetweenLooks = 64

  /// What waits says again for what, once much was said that may not hold any more.
  private mutating func forgetAwaited() {
    if awaited.count <= awaitedLimit, unknownWitnesses.count < Limits.unknownWitnesses { return }
    awaitedLimit = max(awaitedLimit, 2 * awaited.count)
    awaited = [:]
    unknownWitnesses = [:]
    mustRetryWaiting = !waiting.isEmpty
  }

  /// Applies what can be applied; what is left is blocked.
  private mutating func drain(
    _ incoming: inout IncomingRuns, _ reception: inout Reception, _ rows: borrowing StoreTransaction,
    _ isTimeUp: () -> Bool
  ) throws(TreeError) {
    while !reception.isCut, let index = incoming.nextReady() {
      let (first, hadGenesis) = (incoming.runs[index].seq, genesis != nil)
      try advance(&incoming.runs[index], &reception, rows, isTimeUp)
      let run = incoming.runs[index]
      if !run.isDone, !reception.isCut { incoming.block(index) }
      for seq in first..<max(first, run.taken) {
        incoming.free(after: run.run.log, seq)
        try free(after: run.run.log, seq, rows)
      }
      if !hadGenesis, genesis != nil {
        incoming.freeAfterGenesis()
        mustRetryWaiting = !waiting.isEmpty
      }
      for log in newlyAwaited {
        incoming.free(log)
        try free(log, rows)
      }
      newlyAwaited = []
    }
  }

  /// Takes changes from a run until one is blocked.
  private mutating func advance(
    _ run: inout IncomingRun, _ reception: inout Reception, _ rows: borrowing StoreTransaction,
    _ isTimeUp: () -> Bool
  ) throws(TreeError) {
    switch try check(&run, rows) {
    case .right: break
    case .blocked(let reason):
      run.reason = reason
      return
    case .refused(let error):
      reception.refused.append(Reception.Refusal(log: run.run.log, first: run.seq, error: error))
      return run.stop()
    }
    if hasGaps {
      let before = run.offset
      try skipDropped(&run, rows)
      reception.duplicates += run.offset - before
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
        return
      case .lacking(let missing):
        (run.reason, run.missing) = (.missingHistory, missing)
        return
      case .refused(let error):
        reception.refused.append(Reception.Refusal(log: run.run.log, first: run.seq, error: error))
        return run.stop()
      }
      run.take(hash)
      if run.isDone { try keepSignature(of: run, hash, rows) }
      if (reception.applied + reception.duplicates).isMultiple(of: Replica.changesBetweenLooks), isTimeUp() {
        reception.isCut = true
        return
      }
    }
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
    let isHere = try isHere(log, run.run.last, head, rows)
    if !isHere {
      if let error = signatureFault(run.run, device: key, head: head) { return .refused(error) }
      run.isVerified = true
    }
    run.isChecked = true
    return .right
  }

  /// Is the change certainly here? One that may be among dropped ones is not.
  private mutating func isHere(
    _ log: LogID, _ seq: UInt64, _ head: Bytes32, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    do throws(TreeError) {
      return try find(log, seq, rows) { $0 == head } != nil
    } catch {
      guard !error.missing.isEmpty else { throw error }
      return false
    }
  }

  /// Takes changes as duplicates that were dropped here, as far as the hashes at the ends of blocks and the signatures
  /// that stay show that they are those.
  private mutating func skipDropped(_ run: inout IncomingRun, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let introduced = run.run.log
    for index in indices[introduced] ?? [] {
      let (first, last) = (run.seq, min(run.run.last, logs[index].count &- 1))
      guard !run.isDone, logs[index].dropped.overlaps(first, last) else { continue }
      try closeRun(rows)
      var end = last
      if let signature = try signature(of: Dot(log: index, seq: last), rows), last == run.run.last {
        let head = run.hashes[Int(last - run.run.first)]
        let message = ChangeRun.signedHead(log: introduced, seq: last, head: head, space: space)
        // The device's own word that ours is that change: it is signed over the hash.
        if Sodium.isValid(signature, of: message, by: logs[index].device) { return run.take(through: last) }
      }
      while let dropped = logs[index].dropped.last(from: first, through: end) {
        if try knownHash(of: Dot(log: index, seq: dropped), rows) == run.hashes[Int(dropped - run.run.first)] {
          run.take(through: dropped)
          break
        }
        // The last of the block before.
        let start = dropped - dropped % block
        guard start > first else { break }
        end = start - 1
      }
    }
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
