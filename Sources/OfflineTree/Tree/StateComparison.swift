/// Finds where two replicas with equal clocks differ, though they must not: by sums over ever smaller parts of the tree.
///
/// A value that asks and is answered; who carries the questions is not its business. One answer says whether there is a
/// difference, and about log64 of the paths in a bucket more name a path.
package struct StateComparison: Sendable {
  /// What one side asks of the other.
  package enum Question: Hashable, Sendable {
    /// The sum of each bucket.
    case buckets
    /// Sums over parts of a bucket: of path keys from `from` on, below `end` if there is one.
    case parts(bucket: UInt8, from: [UInt8], end: [UInt8]?)
  }

  package enum Answer: Equatable, Sendable {
    case buckets(clock: Bytes32, [UInt128])
    /// Each from its first path key to the next part's, sorted; the first one from where the question began.
    case parts([Part])
  }

  package struct Part: Equatable, Sendable {
    package let first: [UInt8]
    package let count: Int
    package let sum: UInt128

    package init(first: [UInt8], count: Int, sum: UInt128) {
      (self.first, self.count, self.sum) = (first, count, sum)
    }
  }

  /// Sums in an answer to `buckets`.
  package static let buckets = StateHash.buckets
  /// Questions of one search, at most: many times what the paths that are named take.
  package static let questions = 64
  /// Parts in one answer, at most.
  package static let parts = 64
  /// Paths that are named, at most.
  private static let named = 16

  /// Questions and answers so far.
  package private(set) var exchanges = 0
  /// Where the two differ, as far as it is known.
  package private(set) var paths: [PathKey] = []
  /// What is still to be asked, the last one first.
  private var open: [Question] = [.buckets]
  /// Sums differ, and what they are sums of does not: one side's sums are damaged.
  package private(set) var hasWrongSums = false

  package init() {}

  /// What to ask next; nil if enough is known.
  package var question: Question? { paths.count < Self.named && exchanges < Self.questions ? open.last : nil }

  /// Takes the other side's answer to `question`.
  ///
  /// - Throws: `unavailable` if the clocks differ: then the states may.
  package mutating func take(_ answer: Answer, in database: Database) throws(TreeError) {
    guard let question = open.popLast() else { return }
    exchanges += 1
    let own = try database.answer(question)
    switch (question, own, answer) {
    case (.buckets, .buckets(let clock, let sums), .buckets(let otherClock, let others)):
      guard clock == otherClock else {
        throw TreeError(
          .unavailable, "the two do not have the same changes, so that their states may differ",
          advice: "Sync both first, and compare then.")
      }
      guard others.count == sums.count else { throw TreeError(.damaged, "the answer is none to what was asked") }
      for bucket in sums.indices.reversed() where sums[bucket] != others[bucket] {
        open.append(.parts(bucket: UInt8(truncatingIfNeeded: bucket), from: [], end: nil))
      }
    case (.parts(let bucket, let from, let end), _, .parts(let others)):
      try narrow(bucket, from, end, others, database)
    default: throw TreeError(.damaged, "the answer is none to what was asked")
    }
  }

  private mutating func narrow(
    _ bucket: UInt8, _ from: [UInt8], _ end: [UInt8]?, _ others: [Part], _ database: Database
  ) throws(TreeError) {
    let own = try database.pathSums(bucket, from: from, end: end)
    if others.isEmpty {
      // Nothing on either side, and yet the sums of the bucket differ.
      if own.isEmpty { hasWrongSums = true }
      return try name(own.map(\.path))
    }
    guard others.count <= Self.parts,
      zip(others, others.dropFirst()).allSatisfy({ $0.first.lexicographicallyPrecedes($1.first) })
    else { throw TreeError(.damaged, "the answer is none to what was asked") }
    var (found, index) = (false, 0)
    for (number, part) in others.enumerated() {
      let next = number + 1 < others.count ? others[number + 1].first : end
      var mine: [(path: [UInt8], sum: UInt128)] = []
      while index < own.count, next.map({ own[index].path.lexicographicallyPrecedes($0) }) ?? true {
        mine.append(own[index])
        index += 1
      }
      if mine.reduce(0, { $0 &+ $1.sum }) == part.sum, mine.count == part.count { continue }
      found = true
      if part.count <= 1 {
        try name(mine.filter { $0.path != part.first || $0.sum != part.sum }.map(\.path))
        if !mine.contains(where: { $0.path == part.first }) { try name([part.first]) }
      } else {
        open.append(.parts(bucket: bucket, from: number == 0 ? from : part.first, end: next))
      }
    }
    if !found { hasWrongSums = true }
  }

  /// - Parameter keys: They may come from the other side.
  private mutating func name(_ keys: [[UInt8]]) throws(TreeError) {
    for key in keys where paths.count < Self.named { paths.append(try PathKey(encoded: key)) }
  }
}

extension Database {
  /// The state hash, and the digest of the clock that it belongs to.
  package func state() throws(TreeError) -> (digest: Bytes32, hash: Bytes16) {
    try view { rows, replica in (replica.clock.digest, try Replica.stateHash(rows)) }
  }

  /// The clock, durable, and the state hash that belongs to it.
  package func clockAndState() throws(TreeError) -> (clock: VectorClock, state: Bytes16) {
    try viewForOthers { rows, replica in (replica.clock, try Replica.stateHash(rows)) }
  }

  /// What this replica answers to somebody who compares.
  /// - Complexity: O(256) for buckets, O(registers) for parts.
  package func answer(_ question: StateComparison.Question) throws(TreeError) -> StateComparison.Answer {
    switch question {
    case .buckets:
      return try view { rows, replica in
        let sums = try (0..<StateHash.buckets).map { try Replica.hashBucket(UInt8($0), rows) }
        return .buckets(clock: replica.clock.digest, sums)
      }
    case .parts(let bucket, let from, let end):
      let all = try pathSums(bucket, from: from, end: end)
      let size = max(1, (all.count + StateComparison.parts - 1) / StateComparison.parts)
      return .parts(
        stride(from: 0, to: all.count, by: size).map { start in
          let part = all[start..<min(start + size, all.count)]
          return StateComparison.Part(
            first: all[start].path, count: part.count, sum: part.reduce(0) { $0 &+ $1.sum })
        })
    }
  }

  /// The sum of what is live at each path of a bucket, worked out from rows, sorted by path key.
  func pathSums(
    _ bucket: UInt8, from: [UInt8], end: [UInt8]?
  ) throws(TreeError) -> [(path: [UInt8], sum: UInt128)] {
    let sums = try view { rows, replica in
      var sums: [[UInt8]: UInt128] = [:]
      for table in [PathTable.tree, .hidden, .priority, .file] {
        try table.forEachKey(from: from, end: end, rows) { key, row throws(TreeError) in
          let path = PathKey(trusted: key)
          guard StateHash.bucket(of: path) == bucket else { return }
          for item in try replica.hashItems(at: path, row, of: table, rows) { sums[key, default: 0] &+= item.value }
        }
      }
      return sums
    }
    return sums.map { (path: $0.key, sum: $0.value) }.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }
}

extension PathTable {
  fileprivate func forEachKey(
    from: [UInt8], end: [UInt8]?, _ rows: borrowing StoreTransaction,
    _ body: ([UInt8], [UInt8]) throws(TreeError) -> Void
  ) throws(TreeError) {
    try withCursor(in: rows) { (cursor) throws(TreeError) in
      var isFound = try cursor.seek(atLeast: from)
      while isFound {
        let key = cursor.keyBytes
        if let end, !key.lexicographicallyPrecedes(end) { return }
        try body(key, cursor.valueBytes)
        isFound = try cursor.next()
      }
    }
  }
}

extension Replica {
  /// What a row contributes to the state hash.
  fileprivate func hashItems(
    at path: PathKey, _ row: [UInt8], of table: PathTable, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [HashItem] {
    if table.table == .priority {
      return try PriorityItem.decode(row).map { .priority(path, $0, log: logs[$0.dot.log].id) }
    }
    if table.table == .file {
      return try FileItem.decode(row).map { .file(path, $0, log: logs[$0.dot.log].id) }
    }
    guard let register = try Register.decode(row) else { return [] }
    return try live(at: path, register, rows).items
  }

  /// What is live at a register: what it contributes to the state hash, and what its total adds up.
  func live(
    at path: PathKey, _ register: Register, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> (items: [HashItem], parts: [Part], votes: [VoteRow]) {
    var items = register.versions.map { HashItem.version(path, $0, log: logs[$0.dot.log].id) }
    if register.counter == 0 { return (items, [], []) }
    let parts = try parts(of: register.counter, rows)
    for (log, part) in parts { items.append(.part(path, part, log: logs[log].id)) }
    let votes = try Replica.voteRows(of: register.counter, rows)
    for vote in votes { items += vote.ballots.map { .ballot(path, vote.voter, $0, log: logs[$0.dot.log].id) } }
    return (items, parts.map { $0.1 }, votes)
  }
}
