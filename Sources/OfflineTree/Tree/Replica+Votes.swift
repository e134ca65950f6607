/// Votes: one row a counter and voter with the live choices, newest first; the winner's counts in the register.
extension Replica {
  mutating func vote(
    _ path: PathKey, _ voter: Key, _ choice: Int8, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    var found = try register(path, rows)
    let counter = counterNumber(&found.register)
    let before = try ballots(of: voter, counter, rows)
    var after = before.filter { !acting.sees($0) }
    let ballot = Ballot(stamp: acting.stamp, dot: acting.dot, choice: choice)
    after.insert(ballot, at: after.firstIndex { isNewer(ballot, than: $0) } ?? after.count)
    try replace(before, by: after, voter, path, &found.register, &acting, rows)
    try hold(path, found, &acting, rows)
  }

  /// Writes a voter's live choices, and brings totals, hash and flag up to date.
  private mutating func replace(
    _ before: [Ballot], by after: [Ballot], _ voter: Key, _ path: PathKey, _ register: inout Register,
    _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for ballot in before where !after.contains(ballot) {
      hash.remove(.ballot(path, voter, ballot, log: logs[ballot.dot.log].id))
    }
    for ballot in after where !before.contains(ballot) {
      hash.add(.ballot(path, voter, ballot, log: logs[ballot.dot.log].id))
    }
    let (old, new) = (before.first?.choice ?? 0, after.first?.choice ?? 0)
    register.total.subtract(.int(Int64(old)))
    register.total.add(.int(Int64(new)))
    if old != 0 { register.ballots -= 1 }
    if new != 0 { register.ballots += 1 }
    if before.isEmpty && !after.isEmpty { register.voters += 1 }
    if !before.isEmpty && after.isEmpty { register.voters -= 1 }
    let key = RowKey.vote(register.counter, voter)
    if after.isEmpty {
      try rows.delete(.vote, key)
    } else {
      try rows.put(.vote, key, VoteRow(voter: voter, ballots: after).encoded)
    }
    if (old != 0) != (new != 0), declarations.hasFlags(counter: path) {
      let counts = register.counts(try view(path, register, rows))
      try setFlag(path, voter, new != 0 && counts, &acting, rows)
    }
  }

  /// Takes out of a counter the choices that the change had seen.
  mutating func removeSeenBallots(
    _ path: PathKey, _ register: inout Register, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for row in try Replica.voteRows(of: register.counter, rows) {
      let after = row.ballots.filter { !acting.sees($0) }
      guard after.count < row.ballots.count else { continue }
      try replace(row.ballots, by: after, row.voter, path, &register, &acting, rows)
    }
  }

  func ballots(
    of voter: Key, _ counter: UInt64, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [Ballot] {
    guard let row = try rows.get(.vote, RowKey.vote(counter, voter)) else { return [] }
    return try VoteRow(decoding: row).ballots
  }

  /// All voters of a counter. O(voters).
  static func voteRows(of counter: UInt64, _ rows: borrowing StoreTransaction) throws(TreeError) -> [VoteRow] {
    let prefix = RowKey.counter(counter)
    return try rows.withCursor(.vote) { (cursor) throws(TreeError) in
      var result: [VoteRow] = []
      var isFound = try cursor.seek(atLeast: prefix)
      while isFound, cursor.key.starts(with: prefix) {
        result.append(try VoteRow(decoding: cursor.valueBytes))
        isFound = try cursor.next()
      }
      return result
    }
  }

  // MARK: Flags

  /// Shows or takes away the flag of a voter.
  private mutating func setFlag(
    _ counter: PathKey, _ voter: Key, _ shows: Bool, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for path in try declarations.flagPaths(counter: counter, voter: voter) {
      let isThere = try PathTable.tree.get(path.bytes, in: rows) != nil
      guard shows != isThere else { continue }
      try willChange(path, rows)
      touched.insert(path)
      if shows {
        try PathTable.tree.put(path.bytes, Register.flagRow, in: rows)
        try hideAbove(path, rows)
      } else {
        try remove(path, from: .tree, &acting, rows)
      }
    }
  }

  /// Brings all flags of a counter up to date if it has begun or ceased to count.
  mutating func reviewFlags(
    _ path: PathKey, _ register: Register, counted: Bool, _ acting: inout Acting, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    guard register.voters > 0, declarations.hasFlags(counter: path) else { return }
    let counts = register.counts(try view(path, register, rows))
    guard counts != counted else { return }
    for row in try Replica.voteRows(of: register.counter, rows) where row.ballots.first?.choice != 0 {
      try setFlag(path, row.voter, counts, &acting, rows)
    }
  }
}

/// A row of the table `vote`.
struct VoteRow: Equatable {
  let voter: Key
  /// Newest first, and never empty.
  let ballots: [Ballot]

  init(voter: Key, ballots: [Ballot]) {
    self.voter = voter
    self.ballots = ballots
  }

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 48)
    writer.prefixed(voter.text)
    for ballot in ballots {
      ballot.stamp.encode(to: &writer)
      ballot.dot.encode(to: &writer)
      writer.zigzag(Int64(ballot.choice))
    }
    return writer.bytes
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    voter = try Key(utf8: try reader.prefixed("voter", limit: bytes.count))
    var ballots: [Ballot] = []
    while !reader.isAtEnd {
      let stamp = try Stamp.decode(&reader)
      let dot = try Dot.decode(&reader)
      ballots.append(Ballot(stamp: stamp, dot: dot, choice: Int8(clamping: try reader.zigzag("choice"))))
    }
    self.ballots = ballots
  }
}
