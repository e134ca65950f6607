extension Database {
  /// Looks at every row: checksums, the chain of every log, what every register shows, and the state hash.
  ///
  /// One read transaction for the whole walk. LMDB itself cannot be trusted with a damaged page, so the command-line
  /// program runs this in a process of its own.
  /// - Parameter progress: Called now and then with rows done and rows in all.
  /// - Complexity: O(everything).
  public func verify(progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }) throws -> VerifyReport {
    try store.read { rows in try Database.verify(rows, progress: progress) }
  }

  static func verify(
    _ rows: borrowing StoreTransaction, progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }
  ) throws(TreeError) -> VerifyReport {
    var verifier = Verifier(replica: try Replica.load(rows))
    var all = 0
    for table in Table.allCases { all += try rows.count(table) }
    for table in Table.allCases {
      try verifier.checkRows(table, rows) { done in progress(done, all) }
    }
    for log in verifier.replica.logs.indices {
      try verifier.checkChain(log, rows)
      try verifier.checkSignatures(log, rows)
    }
    for table in [PathTable.tree, .hidden] { try verifier.checkRegisters(table, rows) }
    try verifier.checkPriorities(rows)
    try verifier.checkFiles(rows)
    try verifier.checkIndexes(rows)
    try verifier.checkStateHash(rows)
    progress(all, all)
    return verifier.report
  }
}

/// Recomputes what follows from other rows.
private struct Verifier {
  var replica: Replica
  var report = VerifyReport()
  private var expected = StateHash()

  init(replica: Replica) { self.replica = replica }

  mutating func checkRows(
    _ table: Table, _ rows: borrowing StoreTransaction, progress: (Int) -> Void
  ) throws(TreeError) {
    let start = report.rows
    do throws(TreeError) {
      let count = try rows.withCursor(table) { (cursor) throws(TreeError) in
        var count = 0
        var isFound = try cursor.first()
        while isFound {
          count += 1
          if count.isMultiple(of: 4_096) { progress(start + count) }
          isFound = try cursor.next()
        }
        return count
      }
      report.rows += count
    } catch {
      guard error.code == .damaged else { throw error }
      report.note(error.description)
    }
  }

  mutating func checkChain(_ log: Int, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let entry = replica.logs[log]
    if entry.isEmpty { return }
    var next = entry.first
    var hash: Bytes32?
    try Replica.forEachRun(log, from: entry.first, showsGaps: true, rows) { run throws(TreeError) in
      if let hash, run.hashBefore != hash { report.note("the log \(entry.introduced) is broken before change \(next)") }
      if run.first != next { report.note("the log \(entry.introduced) lacks the changes from \(next) on") }
      if run.isGap != entry.dropped.contains(run.first) || run.isGap != entry.dropped.contains(run.next - 1) {
        report.note("the log \(entry.introduced) does not say what was dropped of it, from change \(next) on")
      }
      next = run.next
      // Behind a gap it goes on from what the next row says.
      hash = run.isGap ? nil : run.hash(before: run.next, introduced: entry.introduced)
      report.changes += run.bodies.count
      report.droppedChanges += run.isGap ? run.count : 0
      return true
    }
    if next != entry.count || hash.map({ $0 != entry.head }) ?? false {
      report.note("the log \(entry.introduced) does not end in its head, change \(entry.count - 1)")
    }
  }

  /// Every signature that is kept, since others refuse what does not have one.
  mutating func checkSignatures(_ log: Int, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let entry = replica.logs[log]
    var next = entry.first
    var last: UInt64?
    while let seq = try replica.signedHeads(of: log, around: next, rows).from {
      guard seq < entry.count else {
        return report.note("the log \(entry.introduced) has a signature behind its last change")
      }
      (last, next) = (seq, seq + 1)
      guard let head = try replica.knownHash(of: Dot(log: log, seq: seq), rows) else { continue }
      let message = ChangeRun.signedHead(log: entry.introduced, seq: seq, head: head, space: replica.space)
      let signature = try replica.signature(of: Dot(log: log, seq: seq), rows)
      if signature.map({ !Sodium.isValid($0, of: message, byUnknown: entry.device) }) ?? true {
        report.note("the signature of change \(seq) of the log \(entry.introduced) is not its device's")
      }
    }
    if (last.map { $0 + 1 } ?? entry.first) != entry.signedCount {
      report.note("the log \(entry.introduced) lacks its last signature")
    }
  }

  mutating func checkRegisters(_ table: PathTable, _ rows: borrowing StoreTransaction) throws(TreeError) {
    var next: [UInt8] = []
    var last: PathKey?
    while let (key, row) = try Verifier.row(table, atLeast: next, rows) {
      next = PathTable.successor(of: key)
      let path = PathKey(trusted: key)
      if table.table == .tree {
        if let last, last.isPrefix(of: path) { report.note("\(last) shows a scalar although \(path) is below it") }
        last = path
      }
      guard let register = try Register.decode(row) else { continue }
      report.registers += 1
      try checkRegister(path, register, row, isShown: table.table == .tree, rows)
    }
  }

  private static func row(
    _ table: PathTable, atLeast key: [UInt8], _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ([UInt8], [UInt8])? {
    try table.withCursor(in: rows) { (cursor) throws(TreeError) -> ([UInt8], [UInt8])? in
      try cursor.seek(atLeast: key) ? (cursor.keyBytes, cursor.valueBytes) : nil
    }
  }

  private mutating func checkRegister(
    _ path: PathKey, _ register: Register, _ row: [UInt8], isShown: Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var sum = ExactSum()
    var (increments, ballots, voters): (UInt64, UInt64, UInt64) = (0, 0, 0)
    let live = try replica.live(at: path, register, rows)
    for item in live.items { expected.add(item) }
    for part in live.parts {
      sum += part.sum
      increments += part.count
    }
    for vote in live.votes {
      voters += 1
      if let winner = vote.ballots.first, winner.choice != 0 {
        ballots += 1
        sum.add(.int(Int64(winner.choice)))
      }
    }
    let isTotalRight = (increments, ballots, voters) == (register.increments, register.ballots, register.voters)
    if sum != register.total || !isTotalRight { report.note("the counter at \(path) does not add up") }
    let shown = register.scalar(try replica.view(path, register, rows))
    if isShown, try Register.decodeShown(row) != shown { report.note("\(path) does not show what it holds") }
    if !isShown, shown != nil, try !replica.hasShown(below: path, rows) {
      report.note("\(path) is hidden although nothing is before it")
    }
  }

  mutating func checkPriorities(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try PathTable.priority.forEach(prefix: [], in: rows) { (key, value) throws(TreeError) in
      let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
      for item in try PriorityItem.decode(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }) {
        expected.add(.priority(path, item, log: replica.logs[item.dot.log].id))
      }
      return true
    }
  }

  mutating func checkFiles(_ rows: borrowing StoreTransaction) throws(TreeError) {
    try PathTable.file.forEach(prefix: [], in: rows) { (key, value) throws(TreeError) in
      let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
      for item in try FileItem.decode(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }) {
        expected.add(.file(path, item, log: replica.logs[item.dot.log].id))
      }
      return true
    }
  }

  /// Every child that an index has come to has its row, and there is no other row.
  mutating func checkIndexes(_ rows: borrowing StoreTransaction) throws(TreeError) {
    var expected = 0
    var isDropping = false
    for definition in replica.indexes.definitions {
      if definition.state == .dropping {
        isDropping = true
        continue
      }
      try replica.forEachChild(of: definition.pattern, after: nil, rows) { (child) throws(TreeError) in
        guard definition.covers(child) else { return false }
        expected += 1
        let value = try replica.indexValue(of: child, by: definition.child, rows)
        let row = IndexRow.key(definition.number, child, value ?? .null)
        if try PathTable.index.get(row, in: rows) != value.map(IndexRow.content) {
          report.note("the index of \(definition.pattern) does not have \(child) in its place")
        }
        return true
      }
    }
    // Of an index that is on its way out nobody knows how much is left.
    if !isDropping, try PathTable.index.count(in: rows) != expected {
      report.note("the indexes have rows of children that are not there")
    }
  }

  mutating func checkStateHash(_ rows: borrowing StoreTransaction) throws(TreeError) {
    for bucket in 0..<StateHash.buckets {
      let number = UInt8(bucket)
      if try Replica.hashBucket(number, rows) != expected.changes[number] ?? 0 {
        report.note("the state hash of bucket \(bucket) does not fit what is there")
      }
    }
  }
}
