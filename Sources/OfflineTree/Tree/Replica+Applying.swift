/// The one way in: what a change does to the state, for local and for remote changes alike.
extension Replica {
  /// Applies the next change of a log, whose parents are here; its bytes are stored by the caller.
  ///
  /// - Parameters:
  ///   - fault: Why the content of the change makes it void, if it does.
  ///   - previous: The hash of the change before.
  /// - Returns: Why the change is void, or nil.
  mutating func apply(
    _ change: Change, fault: String?, parents: [Dot], at dot: Dot, previous: Bytes32, hash: Bytes32,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> String? {
    if case .genesis(let genesis)? = change.introduction?.standing { try adoptNew(genesis, rows) }
    var context = try contextBefore(dot, rows)
    var fault = fault
    if let problem = try union(parents, into: &context, rows) { fault = fault ?? problem }
    let seen = try highestStamp(before: dot, parents, rows)
    if !isStampAllowed(change, seen) { fault = fault ?? Replica.stampFault }
    if let introduction = change.introduction {
      setDevice(of: dot.log, to: introduction.deviceKey)
      logs[dot.log].deviceName = introduction.deviceName
    }
    fault = fault ?? contentFault(change, context, log: dot.log) ?? controlFault(change, at: dot, previous)
    if dot.seq == logs[dot.log].first || !parents.isEmpty {
      try rows.put(.context, RowKey.of(dot.log, dot.seq), Replica.encode(context))
    }
    if !parents.isEmpty || change.isBorder { logs[dot.log].mustKeepSignature = true }
    logs[dot.log].isAtBorder = change.isBorder
    // By form a change is void for ever; by judgement until an end of a higher rank says otherwise.
    let verdict = fault == nil ? try judge(change, at: dot, context, rows) : nil
    if mustRebuild, hasGaps { throw Replica.missingEverything }
    if change.introduction != nil { noteStrangers(introducedBy: dot.log) }
    let ceiling = fault == nil ? change.stamp : seen
    var acting = Acting(dot: dot, stamp: change.stamp, context: context)
    if let reason = fault ?? verdict {
      try noteVoid(dot, reason, ceiling: ceiling, rows)
    } else {
      try perform(isLeftOut(dot) ? [] : change.operations, &acting, rows)
    }
    advance(dot, hash, change, parents, acting.context, ceiling: ceiling)
    return fault ?? verdict
  }

  private static let stampFault = "its stamp is not above what it had seen, or too far above"

  /// Why what a log's first change had seen makes it void by form, or nil.
  func faultInPast(
    _ change: Change, _ parents: [Dot], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> String? {
    var context = Context()
    if let problem = try union(parents, into: &context, rows) { return problem }
    return isStampAllowed(change, try highestStamp(of: parents, rows)) ? nil : Replica.stampFault
  }

  private mutating func adoptNew(_ genesis: Genesis, _ rows: borrowing StoreTransaction) throws(TreeError) {
    try rows.put(.meta, MetaKey.genesis, genesis.encoded)
    try adopt(genesis)
  }

  /// What is in the past of a change by its log alone.
  private mutating func contextBefore(_ dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Context {
    let log = logs[dot.log]
    if dot.seq > log.first {
      // The entry gives its context away, and gets it back in `advance`: most changes then copy nothing.
      var context = Context()
      swap(&context, &logs[dot.log].context)
      context.raise(dot.log, to: dot.seq)
      return context
    }
    guard let parent = log.parent, dot.seq > 0 else { return Context() }
    var context = try self.context(of: Dot(log: parent, seq: dot.seq - 1), rows)
    context.raise(parent, to: dot.seq)
    return context
  }

  /// What a change that this replica holds had seen.
  func context(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Context {
    dot.seq + 1 == logs[dot.log].count ? logs[dot.log].context : try Replica.storedContext(of: dot, rows)
  }

  /// Adds the parents and what they had seen. A parent that was in the past without being named is a fault.
  private func union(
    _ parents: [Dot], into context: inout Context, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> String? {
    var closures: [Context] = []
    for parent in parents { closures.append(try self.context(of: parent, rows)) }
    let isRedundant = parents.indices.contains { index in
      let parent = parents[index]
      return context.covers(parent.log, parent.seq)
        || closures.indices.contains { $0 != index && closures[$0].covers(parent.log, parent.seq) }
    }
    for (parent, closure) in zip(parents, closures) {
      context.formUnion(closure)
      context.raise(parent.log, to: parent.seq + 1)
    }
    return isRedundant ? "it names a parent that it need not name" : nil
  }

  private func highestStamp(
    before dot: Dot, _ parents: [Dot], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Stamp? {
    let log = logs[dot.log]
    var highest: Stamp?
    if dot.seq > log.first {
      highest = log.ceiling
    } else if let parent = log.parent, dot.seq > 0 {
      highest = try ceiling(of: Dot(log: parent, seq: dot.seq - 1), rows)
    }
    guard let seen = try highestStamp(of: parents, rows) else { return highest }
    return max(highest ?? .zero, seen)
  }

  private func highestStamp(of parents: [Dot], _ rows: borrowing StoreTransaction) throws(TreeError) -> Stamp? {
    var highest: Stamp?
    for parent in parents { highest = max(highest ?? .zero, try ceiling(of: parent, rows) ?? .zero) }
    return highest
  }

  /// The highest stamp of a change that is not void among a change and what it had seen.
  func ceiling(of dot: Dot, _ rows: borrowing StoreTransaction) throws(TreeError) -> Stamp? {
    let log = logs[dot.log]
    if dot.seq + 1 == log.count { return log.ceiling }
    if let row = try rows.get(.void, RowKey.of(dot.log, dot.seq)) { return try VoidRow(decoding: row).ceiling }
    guard let run = try Replica.run(dot.log, holding: dot.seq, rows) else {
      throw TreeError(.damaged, "the change \(dot.seq) of the log \(log.introduced) is missing")
    }
    guard let body = run.body(of: dot.seq) else { throw Replica.missing(dot.log, from: dot.seq, through: dot.seq) }
    guard case .change(let change, _) = try Change.decode(body) else {
      throw TreeError(.damaged, "the change \(dot.seq) of the log \(log.introduced) cannot be read")
    }
    return change.stamp
  }

  private func isStampAllowed(_ change: Change, _ ceiling: Stamp?) -> Bool {
    if case .genesis? = change.introduction?.standing, change.parents.isEmpty {
      return change.stamp.milliseconds < Limits.genesisStamp
    }
    return change.stamp.isAllowed(after: ceiling ?? .zero)
  }

  /// Why what the change does makes it void: keys that are not its device's, flags that cannot be.
  private func contentFault(_ change: Change, _ context: Context, log: Int) -> String? {
    guard !declarations.isEmpty else { return nil }
    let isOwnersImport = change.isImport && authority.wasOwner(logs[log].device, in: context)
    var checked: PathKey?
    for operation in change.operations {
      switch operation {
      case .put(let path, _):
        guard !isOwnersImport, let element = declarations.element(of: path), element.keys == .own,
          element.path != checked
        else { continue }
        checked = element.path
        let binding = change.binding(of: element.path)
        guard let binding, binding.binds(to: logs[log].device, space: space) else {
          return "it puts at \(element.path), whose key is not bound to its device"
        }
      case .vote(let path, let voter, _):
        if !declarations.flagsFit(counter: path, voter: voter) { return "its vote's flag would break a limit" }
      case .clear, .increment, .priority, .file:
        continue
      }
    }
    return nil
  }

  private func noteVoid(
    _ dot: Dot, _ reason: String, ceiling: Stamp?, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try rows.put(.void, RowKey.of(dot.log, dot.seq), VoidRow(ceiling: ceiling, reason: reason).encoded)
  }

  /// The log has one change more, and only what nobody has seen stays on the frontier.
  private mutating func advance(
    _ dot: Dot, _ hash: Bytes32, _ change: Change, _ parents: [Dot], _ context: Context, ceiling: Stamp?
  ) {
    // What those had seen has left the frontier before.
    for log in parents.map(\.log) + [logs[dot.log].parent].compactMap({ $0 }) {
      if let seq = frontier[log], context.covers(log, seq) { frontier[log] = nil }
    }
    frontier[dot.log] = dot.seq
    logs[dot.log].count = dot.seq + 1
    logs[dot.log].head = hash
    logs[dot.log].ceiling = ceiling
    logs[dot.log].context = context
    logs[dot.log].wallTime = change.wallTime
    changedLogs.insert(dot.log)
    metaChanged = true
  }
}

/// A row of the table `void`: a change that counts in clocks and chains and contributes nothing.
struct VoidRow: Equatable {
  /// The highest stamp of a change in its context that is not void.
  let ceiling: Stamp?
  let reason: String

  init(ceiling: Stamp?, reason: String) {
    self.ceiling = ceiling
    self.reason = reason
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.u8(ceiling == nil ? 0 : 1)
    (ceiling ?? .zero).encode(to: &writer)
    writer.prefixed(reason)
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    let hasCeiling = try reader.u8("void change") == 1
    let stamp = try Stamp.decode(&reader)
    ceiling = hasCeiling ? stamp : nil
    reason = String(decoding: try reader.prefixed("reason", limit: reader.remaining), as: UTF8.self)
  }
}

extension Replica {
  /// Shows in a draft what a change of this device would do.
  mutating func preview(_ change: Change, _ rows: borrowing StoreTransaction) throws(TreeError) {
    if isBarred { return }
    let log = addLog(
      LogEntry(introduced: .zero, id: LogID([UInt8](repeating: 0xFF, count: 16)), parent: nil, first: 0, head: space))
    let stamp = Stamp(milliseconds: .max, counter: .max)
    var acting = Acting(dot: Dot(log: log, seq: 0), stamp: stamp, context: everything)
    try perform(change.operations, &acting, rows)
    try storeCounters(rows)
  }
}
