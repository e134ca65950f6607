/// How changes come in from outside: place in the chain, duplicates, gaps, forks; then the one way in.
extension Replica {
  enum Arrival {
    case applied(void: String?, isFork: Bool)
    case duplicate
    case blocked(Reception.Reason)
    /// The bytes do not decode, or an introduction is not its log's.
    case refused(TreeError)
    /// It cannot be applied without changes whose bytes were dropped; it has changed nothing.
    case lacking([MissingChanges])
  }

  /// A change on its way in.
  private struct Incoming {
    let body: ArraySlice<UInt8>
    let log: LogID
    let seq: UInt64
    let previous: Bytes32
    let hash: Bytes32
    let change: Change
    let fault: String?
    /// The change before it; nil for change 0.
    let end: Dot?
    let parents: [Dot]
  }

  /// Takes one change of a log.
  ///
  /// - Parameters:
  ///   - log: The id under which the log was introduced.
  ///   - previous: The hash of the change before; the space's id for change 0.
  /// - Throws: only what keeps this replica from working.
  mutating func receive(
    _ body: ArraySlice<UInt8>, log: LogID, seq: UInt64, previous: Bytes32, hash: Bytes32,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Arrival {
    do throws(TreeError) {
      return try look(body, log: log, seq: seq, previous: previous, hash: hash, rows)
    } catch {
      // Nothing was changed: what may be among dropped changes is looked for before anything is.
      guard hasGaps, !error.missing.isEmpty else { throw error }
      return .lacking(error.missing)
    }
  }

  private mutating func look(
    _ body: ArraySlice<UInt8>, log: LogID, seq: UInt64, previous: Bytes32, hash: Bytes32,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Arrival {
    var end: Dot?
    if seq > 0 {
      end = try find(log, seq - 1, rows) { $0 == previous }
      guard end != nil else { return .blocked(.missingPrevious) }
    }
    if try find(log, seq, rows, matches: { $0 == hash }) != nil { return .duplicate }
    let (change, fault): (Change, String?)
    do throws(TreeError) {
      if seq == 0, previous != space { throw TreeError(.damaged, "change 0 of the log \(log) is of another space") }
      switch try Change.decode(body) {
      case .unknown: return .blocked(.unknownVersion)
      case .change(let decoded, let problem): (change, fault) = (decoded, problem)
      }
      try checkIntroduction(change, log: log, seq: seq)
    } catch {
      return .refused(error)
    }
    if genesis == nil {
      guard case .genesis? = change.introduction?.standing else { return .blocked(.missingGenesis) }
    }
    var parents: [Dot] = []
    var missing: [MissingChanges] = []
    for parent in change.parents {
      let found: Dot?
      do throws(TreeError) {
        found = try find(parent.log, parent.seq, rows) { $0.prefix16 == parent.hash }
        if hasGaps, let found { _ = try ceiling(of: found, rows) }
      } catch {
        guard !error.missing.isEmpty else { throw error }
        missing += error.missing
        continue
      }
      guard let found else {
        let author = change.introduction?.deviceKey ?? end.map { logs[$0.log].device }
        noteAwaited(parent.log, by: change, of: author, in: log)
        return .blocked(.missingParent(parent))
      }
      parents.append(found)
    }
    // All of them at once: each of them alone would be another round.
    if !missing.isEmpty { return .lacking(missing) }
    if seq == 0 {
      var isVoidByForm = fault != nil
      if !isVoidByForm { isVoidByForm = try faultInPast(change, parents, rows) != nil }
      if isTooManyLogs(change, log, isVoidByForm: isVoidByForm) { return .blocked(.delayed) }
    }
    let incoming = Incoming(
      body: body, log: log, seq: seq, previous: previous, hash: hash, change: change, fault: fault, end: end,
      parents: parents)
    return hasGaps && !isAboveGaps(change, end: end, seq: seq)
      ? try attempt(incoming, rows) : try take(incoming, rows)
  }

  /// All or nothing: what is found in the middle to need dropped history has changed neither rows nor this state.
  private mutating func attempt(_ incoming: Incoming, _ rows: borrowing StoreTransaction) throws(TreeError) -> Arrival {
    var staged = self
    let arrival: Arrival
    do {
      arrival = try rows.withChild { child in try staged.take(incoming, child) }
    } catch let error as TreeError {
      guard !error.missing.isEmpty else { throw error }
      return .lacking(error.missing)
    } catch {
      throw TreeError(.internal, "a change could not be taken in", underlying: "\(error)")
    }
    self = staged
    if case .applied = arrival { noteAboveGaps(incoming.log, incoming.seq, incoming.hash) }
    return arrival
  }

  /// Can the change need nothing that was dropped: has all of it been seen by the change before it, and is nothing judged
  /// by it that others did? Parents have been found.
  private func isAboveGaps(_ change: Change, end: Dot?, seq: UInt64) -> Bool {
    guard let end, logsAboveGaps.contains(end.log), logs[end.log].count == seq else { return false }
    return change.controls.isEmpty && change.introduction == nil
  }

  /// Remembers that the changes behind this one need no dropped ones either, if it has seen all of them.
  private mutating func noteAboveGaps(_ log: LogID, _ seq: UInt64, _ hash: Bytes32) {
    for index in indices[log] ?? [] where logs[index].count == seq + 1 && logs[index].head == hash {
      let context = logs[index].context
      let coversAll = logs.indices.allSatisfy { $0 == index || context.count($0) >= logs[$0].dropped.end }
      if coversAll, logs[index].dropped.end <= seq { logsAboveGaps.insert(index) }
    }
  }

  private mutating func take(_ incoming: Incoming, _ rows: borrowing StoreTransaction) throws(TreeError) -> Arrival {
    let (log, seq, change) = (incoming.log, incoming.seq, incoming.change)
    let made = try makePlace(
      log: log, seq: seq, after: incoming.end, previous: incoming.previous, hash: incoming.hash, rows)
    guard let (place, isFork) = made else { return .blocked(.delayed) }
    var parents = incoming.parents
    if isFork { parents = try change.parents.map { parent throws(TreeError) in try located(parent, rows) } }
    if logs[place].device == device, place == currentLog { mustLeave = true }
    let void = try apply(
      change, fault: incoming.fault, parents: parents, at: Dot(log: place, seq: seq), previous: incoming.previous,
      hash: incoming.hash, rows)
    try append(incoming.body, log: place, seq: seq, hashBefore: incoming.previous, rows)
    return .applied(void: void, isFork: isFork)
  }

  private mutating func located(_ parent: Change.Parent, _ rows: borrowing StoreTransaction) throws(TreeError) -> Dot {
    guard let dot = try find(parent.log, parent.seq, rows, matches: { $0.prefix16 == parent.hash }) else {
      throw TreeError(.internal, "a parent was lost in a fork")
    }
    return dot
  }

  private func checkIntroduction(_ change: Change, log: LogID, seq: UInt64) throws(TreeError) {
    guard let introduction = change.introduction else {
      if seq == 0 { throw TreeError(.damaged, "change 0 of the log \(log) is no introduction") }
      return
    }
    guard seq == 0, introduction.logID(space: space) == log else {
      throw TreeError(.damaged, "an introduction of the log \(log) is not the log's own")
    }
    guard case .genesis(let record) = introduction.standing else { return }
    guard record.spaceID == space, record.founder == introduction.deviceKey, introduction.random == .zero else {
      throw TreeError(.damaged, "the genesis in the log \(log) is not this space's")
    }
  }

  /// The index of the log or branch to which the change belongs; nil if there is no room for another one.
  private mutating func makePlace(
    log: LogID, seq: UInt64, after end: Dot?, previous: Bytes32, hash: Bytes32, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> (log: Int, isFork: Bool)? {
    let hasRoom = logs.count < Limits.logsPerSpace
    guard let end else {
      guard hasRoom else { return nil }
      if let root = (indices[log] ?? []).first(where: { logs[$0].parent == nil }) {
        guard hasRoomForBranch(of: log) else { return nil }
        return (try fork(log: root, at: 0, previous: previous, hash: hash, rows), true)
      }
      return (addLog(LogEntry(introduced: log, id: log, parent: nil, first: 0, head: previous)), false)
    }
    let entry = logs[end.log]
    let hasBranches = (indices[log] ?? []).contains { logs[$0].parent == end.log && logs[$0].first == seq }
    if entry.count == seq, !hasBranches { return (end.log, false) }
    guard hasRoom, hasRoomForBranch(of: log) else { return nil }
    return (try fork(log: end.log, at: seq, previous: previous, hash: hash, rows), true)
  }

  /// Notes whose log it is, as its introduction says.
  mutating func setDevice(of log: Int, to device: Bytes32) {
    if logs[log].device == device { return }
    logs[log].device = device
    indicesByDevice[device, default: []].append(log)
  }

  mutating func addLog(_ log: LogEntry) -> Int {
    logs.append(log)
    indices[log.introduced, default: []].append(logs.count - 1)
    changedLogs.insert(logs.count - 1)
    metaChanged = true
    return logs.count - 1
  }
}
