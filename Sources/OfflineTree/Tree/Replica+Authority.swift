/// Control changes: what makes them void by form, what is remembered of them, and what they void.
extension Replica {
  /// Why a change's acts of authority make it void by form, or nil.
  func controlFault(_ change: Change, at dot: Dot, _ previous: Bytes32) -> String? {
    if let introduction = change.introduction {
      if case .genesis(let genesis) = introduction.standing {
        return genesis.rules.isEmpty ? nil : RuleBook.fault(of: genesis.rules)
      }
      return introduction.joinFault(space: space)
    }
    for operation in change.controls {
      let fault: String? =
        switch operation {
        case .account(let new): new.fault(space: space, device: logs[dot.log].device)
        case .rekey(let rekey): rekey.fault(space: space, device: logs[dot.log].device)
        case .session(let session): session.fault(space: space, device: logs[dot.log].device)
        case .rules(let text): RuleBook.fault(of: text)
        default: nil
        }
      if let fault { return fault }
    }
    guard let signature = change.recoverySignature, let genesis else { return nil }
    let message = change.recoveryMessage(
      space: space, log: logs[dot.log].introduced, seq: dot.seq, previous: previous)
    return Sodium.isValid(signature, of: message, byUnknown: genesis.recoveryKey)
      ? nil : "the owner-recovery key has not signed it"
  }

  /// Why the change is void by what the set of changes holds, or nil; a control change is remembered.
  mutating func judge(
    _ change: Change, at dot: Dot, _ context: Context, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> String? {
    guard change.introduction != nil || !change.controls.isEmpty else {
      // What this device writes is refused if it is void: then nothing may be open. What others wrote is applied anew
      // before anybody reads it.
      if logs[dot.log].device == device { authority.settlePeople() }
      return verdict(on: change, at: dot, context)
    }
    let record = record(of: change, at: dot, context)
    if rebuilding != nil {
      rebuilding?.addUnjudged(record)
      return authority.verdict(at: dot)
    }
    let raised = change.controls.contains { operation in
      guard case .grant(let device, _) = operation else { return false }
      return authority.origin(of: device) != .role
    }
    let before = authority.add(record)
    authorityVersion += 1
    metaChanged = true
    try rows.put(.control, RowKey.commit(UInt64(authority.records.count - 1)), RowKey.of(dot.log, dot.seq))
    // What has no end in it changes no verdict but its own.
    let hasEnds = change.controls.contains { if case .end = $0 { true } else { false } }
    if hasEnds, let before, reachesApplied(since: before) { mustRebuild = true }
    if !mustRebuild, try reachesApplied(record.person, authority.newEndsOfPeople, rows) { mustRebuild = true }
    if record.device == device { authority.settlePeople() }
    for case .deviceName in change.controls { nameLogs(of: record.device) }
    let verdict = authority.verdict(at: dot)
    if before != nil { findStrangers() }
    guard verdict == nil else { return verdict }
    for case .invite(let terms) in change.controls { askAgain(terms.publicKey) }
    if change.introduction != nil { askAgain(record.device) }
    // The word of a device that was given a role counts more than before.
    if raised { mustRetryWaiting = !waiting.isEmpty }
    return nil
  }

  /// Why a change without acts of authority is void by what the set of changes holds, or nil.
  func verdict(on change: Change, at dot: Dot, _ context: Context) -> String? {
    let log = logs[dot.log]
    if authority.isSuspect(log.device) || !authority.isMember(root: root(of: dot.log)) {
      let fault = authority.fault(
        of: dot, device: log.device, log: log.introduced, root: root(of: dot.log), context: context,
        writes: !change.operations.isEmpty)
      if let fault { return fault }
    }
    return authority.fault(of: change, at: dot, device: log.device, context: context)
  }

  private mutating func nameLogs(of device: Bytes32) {
    for index in indicesByDevice[device] ?? [] {
      logs[index].deviceName = authority.name(of: device)
      changedLogs.insert(index)
    }
  }

  private func record(of change: Change, at dot: Dot, _ context: Context) -> Authority.Record {
    Authority.Record(
      dot: dot, log: logs[dot.log].introduced, root: root(of: dot.log), device: logs[dot.log].device,
      context: context, stamp: change.stamp, wallTime: change.wallTime, introduction: change.introduction,
      controls: change.controls, isRecovery: change.recoverySignature != nil, writes: !change.operations.isEmpty,
      branch: logs[dot.log].id, author: change.author, change: change.operations.isEmpty ? nil : change)
  }

  /// Would a write of this device be void?
  var isBarred: Bool { isBarred(writes: true) }

  /// Would even a control change of this device be void, whatever it says?
  var isSilenced: Bool { isBarred(writes: false) }

  private func isBarred(writes: Bool) -> Bool {
    guard let currentLog, authority.isSuspect(device) else { return false }
    let next = Dot(log: currentLog, seq: logs[currentLog].count)
    return authority.fault(
      of: next, device: device, log: logs[currentLog].introduced, root: root(of: currentLog), context: everything,
      writes: writes) != nil
  }

  /// Does the newest record change what was applied before it?
  private func reachesApplied(since before: Authority.Judging) -> Bool {
    for index in before.verdicts.indices.dropLast()
    where (before.verdicts[index] == nil) != (authority.verdicts[index] == nil) { return true }
    let changed =
      authority.ends.filter { !before.ends[$0.subject].contains($0) }
      + before.ends.filter { !authority.ends[$0.subject].contains($0) }
    return changed.contains { end in
      logs.indices.contains { index in
        let log = logs[index]
        let isSubject =
          switch end.subject {
          case .device(let device), .role(let device): log.device == device
          case .log(let id): log.introduced == id
          case .invite, .session, .userKey: false
          }
        return isSubject && log.count > max(log.first, authority.records[end.record].context.count(index))
          && !(index == end.dot.log && log.count <= end.dot.seq)
      }
    }
  }

  /// The same for what somebody's records end: changes of devices that act for them.
  private func reachesApplied(
    _ user: Key?, _ ends: [People.End], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    guard let user, let newest = ends.first.map({ authority.records[$0.record] }) else { return false }
    if authority.people.unsettled.contains(user) { return true }
    // All of them are of the newest record; many of them may be of one device.
    let person = authority.people[user]
    var devices: Set<Bytes32> = []
    for end in ends { devices.formUnion(person.devices(using: end.subject)) }
    for device in devices {
      for index in indicesByDevice[device] ?? [] where index != newest.dot.log {
        if try hasActed(user, in: index, from: newest.context.count(index), rows) { return true }
      }
    }
    return false
  }

  /// Does a change of the log name the user as its author, from a number on? Of many nobody looks: then perhaps.
  private func hasActed(
    _ user: Key, in log: Int, from seen: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    let first = max(seen, logs[log].first)
    guard logs[log].count > first else { return false }
    if logs[log].count - first > Replica.changesLookedAt { return true }
    // What was not written yet is in no run.
    if let open = openRun, open.log == log { return true }
    var hasActed = false
    try Replica.forEachRun(log, from: first, rows) { run throws(TreeError) in
      for (offset, body) in run.bodies.enumerated() where run.first + UInt64(offset) >= first {
        if case .change(let change, _) = try Change.decode(body), change.author == user { hasActed = true }
      }
      return !hasActed
    }
    return hasActed
  }

  private static let changesLookedAt: UInt64 = 1_024

  /// Writes which changes are control changes, in the order in which they were applied.
  func storeAuthority(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.clear(.control)
    for (number, record) in authority.records.enumerated() {
      try rows.put(.control, RowKey.commit(UInt64(number)), RowKey.of(record.dot.log, record.dot.seq))
    }
  }

  /// Reads them back. O(control changes), and judges them.
  mutating func loadAuthority(_ rows: borrowing StoreTransaction) throws(TreeError) {
    if let genesis { authority.adopt(genesis) }
    let dots = try rows.withCursor(.control) { (cursor) throws(TreeError) in
      var dots: [Dot] = []
      var isFound = try cursor.first()
      while isFound {
        let value = cursor.valueBytes
        guard value.count == 12 else { throw TreeError(.damaged, "a control row has \(value.count) bytes") }
        dots.append(Dot(log: Int(RowKey.number(value[..<4])), seq: RowKey.number(value[4...])))
        isFound = try cursor.next()
      }
      return dots
    }
    var pool: Set<[UInt64]> = []
    var opened = OpenedRuns()
    for dot in dots {
      guard logs.indices.contains(dot.log),
        let body = try opened.run(dot.log, holding: dot.seq, rows)?.body(of: dot.seq),
        case .change(let change, _) = try Change.decode(body)
      else { throw TreeError(.damaged, "a control change is missing", advice: Store.damageAdvice) }
      var context = try Replica.storedContext(of: dot, rows)
      if dot.seq > logs[dot.log].first { context.raise(dot.log, to: dot.seq) }
      context.share(&pool)
      authority.addUnjudged(record(of: change, at: dot, context))
    }
    authority.judge()
  }
}

extension Change {
  /// Is there an epoch before it and another behind it, or is it sealed apart?
  var isBorder: Bool {
    controls.contains { operation in
      switch operation {
      case .rotate, .deliver: true
      default: false
      }
    }
  }
}
