/// Changes of this device that are void by judgement, and so can be done again.
extension Replica {
  struct OwnVoid {
    let dot: Dot
    let id: ReissuableChange.ID
    let change: Change
    let reason: String
    let context: Context
  }

  /// Those that were not dealt with, in the order in which they were made. O(void changes of this device).
  func ownVoids(
    _ marks: [ReissueMark], limit: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [OwnVoid] {
    let done = Set(marks.map(\.id))
    var found: [OwnVoid] = []
    var opened = OpenedRuns()
    for log in indicesByDevice[device] ?? [] {
      for seq in try voidNumbers(of: log, rows) where found.count < limit {
        if done.contains(id(of: Dot(log: log, seq: seq))) { continue }
        if let void = try ownVoid(Dot(log: log, seq: seq), &opened, rows) { found.append(void) }
      }
    }
    return found.sorted { ($0.change.stamp, $0.id.log) < ($1.change.stamp, $1.id.log) }
  }

  func ownVoid(
    _ id: ReissuableChange.ID, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> OwnVoid? {
    guard let log = (indicesByDevice[device] ?? []).first(where: { logs[$0].id == id.log }) else { return nil }
    var opened = OpenedRuns()
    return try ownVoid(Dot(log: log, seq: id.seq), &opened, rows)
  }

  /// Nil for a change that is not void, is void by form and so for ever, begins a log, or whose bytes are not here.
  private func ownVoid(
    _ dot: Dot, _ opened: inout OpenedRuns, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> OwnVoid? {
    guard try rows.get(.void, RowKey.of(dot.log, dot.seq)) != nil,
      let run = try opened.run(dot.log, holding: dot.seq, rows), let body = run.body(of: dot.seq),
      case .change(let change, _) = try Change.decode(body), change.introduction == nil
    else { return nil }
    var context = try self.context(of: dot, rows)
    if dot.seq > logs[dot.log].first { context.raise(dot.log, to: dot.seq) }
    let verdict = change.controls.isEmpty ? verdict(on: change, at: dot, context) : authority.verdict(at: dot)
    guard let verdict else { return nil }
    return OwnVoid(dot: dot, id: id(of: dot), change: change, reason: verdict, context: context)
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

  /// What a void change had seen, as far as doing it again is concerned: what was done again counts as the change that
  /// it was.
  func sight(of void: OwnVoid, _ marks: [ReissueMark]) -> (Dot) -> Bool {
    var indices: [LogID: Int] = [:]
    for index in indicesByDevice[device] ?? [] { indices[logs[index].id] = index }
    var origins: [Dot: Dot] = [:]
    for mark in marks {
      guard let reissue = mark.reissue, let new = indices[reissue.log], let old = indices[mark.id.log] else { continue }
      origins[Dot(log: new, seq: reissue.seq)] = Dot(log: old, seq: mark.id.seq)
    }
    return { dot in
      if void.context.covers(dot.log, dot.seq) { return true }
      return origins[dot].map { void.context.covers($0.log, $0.seq) } ?? false
    }
  }
}

/// What a write would take away.
extension Replica {
  /// Is anything live that `sees` does not know where a write at the path takes away: at it, below it, or a scalar
  /// above it? O(rows below the path).
  func hasUnseen(
    at path: PathKey, _ sees: (Dot) -> Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    var isFound = false
    for table in [PathTable.tree, .hidden] where !isFound {
      try table.forEach(prefix: path.bytes, in: rows) { (key, row) throws(TreeError) in
        let below = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
        // What stands in an add-only set is taken away by nothing.
        if declarations.isInElement(below) { return true }
        if let register = try Register.decode(unsafe row.withUnsafeBytes { unsafe [UInt8]($0) }) {
          isFound = try hasUnseen(in: register, sees, rows)
        }
        return !isFound
      }
    }
    if isFound { return true }
    try PathTable.priority.forEach(prefix: path.bytes, in: rows) { (_, row) throws(TreeError) in
      let items = try PriorityItem.decode(unsafe row.withUnsafeBytes { unsafe [UInt8]($0) })
      isFound = items.contains { !sees($0.dot) }
      return !isFound
    }
    if isFound { return true }
    return try hasUnseen(above: path, sees, rows)
  }

  /// The same above the path alone.
  func hasUnseen(
    above path: PathKey, _ sees: (Dot) -> Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    for ancestor in path.ancestors where !declarations.isInElement(ancestor) {
      let found = try register(ancestor, rows)
      if found.place != .nowhere, !found.isFlag, try hasUnseen(in: found.register, sees, rows) { return true }
    }
    return false
  }

  private func hasUnseen(
    in register: Register, _ sees: (Dot) -> Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    if register.versions.contains(where: { !sees($0.dot) }) { return true }
    if register.increments > 0 {
      for (log, part) in try parts(of: register.counter, rows) where !sees(Dot(log: log, seq: part.last)) {
        return true
      }
    }
    if register.voters == 0 { return false }
    return try Replica.voteRows(of: register.counter, rows).contains { row in
      row.ballots.contains { !sees($0.dot) }
    }
  }
}
