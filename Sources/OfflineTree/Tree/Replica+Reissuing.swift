/// Changes of this device that are void by judgement, and so can be done again.
extension Replica {
  struct OwnVoid {
    let dot: Dot
    /// Names it for good, whatever forks.
    let position: LogPosition
    let change: Change
    let reason: String
    let context: Context
    /// What could be done again was dealt with; the rest is a person's.
    let isPartlyDone: Bool
  }

  /// Those that were not dealt with, in the order in which they were made. O(void changes of this device).
  func ownVoids(limit: Int, _ rows: borrowing StoreTransaction) throws(TreeError) -> [OwnVoid] {
    var found: [OwnVoid] = []
    var opened = OpenedRuns()
    for log in indicesByDevice[device] ?? [] {
      for seq in try voidNumbers(of: log, rows) where found.count < limit {
        if let void = try ownVoid(Dot(log: log, seq: seq), &opened, rows) { found.append(void) }
      }
    }
    return found.sorted { ($0.change.stamp, $0.position) < ($1.change.stamp, $1.position) }
  }

  /// The one at a place that was not dealt with.
  func ownVoid(at position: LogPosition, _ rows: borrowing StoreTransaction) throws(TreeError) -> OwnVoid? {
    guard let dot = try find(position, rows), logs[dot.log].device == device else { return nil }
    var opened = OpenedRuns()
    return try ownVoid(dot, &opened, rows)
  }

  /// The void change of this device that goes by a name, dealt with or not. The introduced id of a log that has forked
  /// names one where the branches have no other with that number.
  func ownVoid(
    named id: ReissuableChange.ID, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> LogPosition? {
    var opened = OpenedRuns()
    var found: [LogPosition] = []
    for log in indicesByDevice[device] ?? [] where logs[log].id == id.log || logs[log].introduced == id.log {
      guard let position = try voidPosition(of: Dot(log: log, seq: id.seq), &opened, rows) else { continue }
      if logs[log].id == id.log { return position }
      found.append(position)
    }
    if found.count > 1 {
      throw TreeError(
        .invalidArgument, "\(id) names \(found.count) changes, since the log has forked",
        advice: "Name the change as the list does.")
    }
    return found.first
  }

  /// Those that were dealt with. O(void changes of this device).
  func dealtWithVoids(_ rows: borrowing StoreTransaction) throws(TreeError) -> Set<Dot> {
    guard try ReissueMark.areThere(rows) else { return [] }
    var found: Set<Dot> = []
    var opened = OpenedRuns()
    for log in indicesByDevice[device] ?? [] {
      for seq in try voidNumbers(of: log, rows) {
        let dot = Dot(log: log, seq: seq)
        guard let position = try voidPosition(of: dot, &opened, rows) else { continue }
        if try ReissueMark.of(position.hash, rows) == .dealtWith { found.insert(dot) }
      }
    }
    return found
  }

  /// Nil for a change that is not void, or whose bytes are not here.
  private func voidPosition(
    of dot: Dot, _ opened: inout OpenedRuns, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> LogPosition? {
    let introduced = logs[dot.log].introduced
    guard try rows.get(.void, RowKey.of(dot.log, dot.seq)) != nil,
      let hash = try opened.hash(of: dot, introduced: introduced, rows)
    else { return nil }
    return LogPosition(log: introduced, seq: dot.seq, hash: hash)
  }

  /// Nil for a change that is not void, is void by form and so for ever, begins a log, was dealt with, or whose bytes are
  /// not here.
  private func ownVoid(
    _ dot: Dot, _ opened: inout OpenedRuns, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> OwnVoid? {
    guard let position = try voidPosition(of: dot, &opened, rows) else { return nil }
    let mark = try ReissueMark.of(position.hash, rows)
    if mark == .dealtWith { return nil }
    guard let body = try opened.run(dot.log, holding: dot.seq, rows)?.body(of: dot.seq),
      case .change(let change, _) = try Change.decode(body), change.introduction == nil
    else { return nil }
    var context = try self.context(of: dot, rows)
    if dot.seq > logs[dot.log].first { context.raise(dot.log, to: dot.seq) }
    let verdict = change.controls.isEmpty ? verdict(on: change, at: dot, context) : authority.verdict(at: dot)
    guard let verdict else { return nil }
    return OwnVoid(
      dot: dot, position: position, change: change, reason: verdict, context: context, isPartlyDone: mark == .partly)
  }

  func id(of dot: Dot) -> ReissuableChange.ID { ReissuableChange.ID(log: logs[dot.log].id, seq: dot.seq) }

  private func voidNumbers(of log: Int, _ rows: borrowing StoreTransaction) throws(TreeError) -> [UInt64] {
    let prefix = RowKey.of(log)
    return try rows.withCursor(.void) { (cursor) throws(TreeError) in
      var numbers: [UInt64] = []
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix) {
        numbers.append(RowKey.number(cursor.keyBytes[4...]))
        isFound = try cursor.next()
      }
      return numbers
    }
  }

  /// Had a void change seen another one, as far as doing it again is concerned? What was done again counts as the change
  /// that it was.
  func saw(_ dot: Dot, _ void: OwnVoid, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    if void.context.covers(dot.log, dot.seq) { return true }
    guard logs[dot.log].device == device, let hash = try knownHash(of: dot, rows),
      let origin = try ReissueMark.origin(of: hash, rows), let old = try find(origin, rows)
    else { return false }
    return void.context.covers(old.log, old.seq)
  }
}

/// What a write would take away.
extension Replica {
  /// Is anything live that a void change had not seen where a write at the path takes away: at it, below it, or a scalar
  /// above it? O(rows below the path).
  func hasUnseen(
    at path: PathKey, _ void: OwnVoid, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    var isFound = false
    for table in [PathTable.tree, .hidden] where !isFound {
      try table.forEach(prefix: path.bytes, in: rows) { (key, row) throws(TreeError) in
        let below = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
        // What stands in an add-only set is taken away by nothing.
        if declarations.isInElement(below) { return true }
        if let register = try Register.decode(unsafe row.withUnsafeBytes { unsafe [UInt8]($0) }) {
          isFound = try hasUnseen(in: register, void, rows)
        }
        return !isFound
      }
    }
    if isFound { return true }
    try PathTable.priority.forEach(prefix: path.bytes, in: rows) { (_, row) throws(TreeError) in
      let items = try PriorityItem.decode(unsafe row.withUnsafeBytes { unsafe [UInt8]($0) })
      isFound = try hasUnseen(items.map(\.dot), void, rows)
      return !isFound
    }
    if isFound { return true }
    return try hasUnseen(above: path, void, rows)
  }

  /// The same above the path alone.
  func hasUnseen(
    above path: PathKey, _ void: OwnVoid, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    for ancestor in path.ancestors where !declarations.isInElement(ancestor) {
      let found = try register(ancestor, rows)
      if found.place != .nowhere, !found.isFlag, try hasUnseen(in: found.register, void, rows) { return true }
    }
    return false
  }

  private func hasUnseen(
    in register: Register, _ void: OwnVoid, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    if try hasUnseen(register.versions.map(\.dot), void, rows) { return true }
    if register.increments > 0 {
      let dots = try parts(of: register.counter, rows).map { Dot(log: $0.0, seq: $0.1.last) }
      if try hasUnseen(dots, void, rows) { return true }
    }
    if register.voters == 0 { return false }
    for row in try Replica.voteRows(of: register.counter, rows)
    where try hasUnseen(row.ballots.map(\.dot), void, rows) {
      return true
    }
    return false
  }

  /// Is there any among them that a void change had not seen?
  func hasUnseen(_ dots: [Dot], _ void: OwnVoid, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    for dot in dots where try !saw(dot, void, rows) { return true }
    return false
  }
}
