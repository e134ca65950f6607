/// What is live, item by item, as the state hash counts it.
extension Replica {
  /// The rows of a counter.
  struct CounterRows {
    var parts: [(log: Int, part: Part)] = []
    var votes: [VoteRow] = []
  }

  func counterRows(_ register: Register, _ rows: borrowing StoreTransaction) throws(TreeError) -> CounterRows {
    guard register.counter != 0 else { return CounterRows() }
    return CounterRows(
      parts: try parts(of: register.counter, rows), votes: try Replica.voteRows(of: register.counter, rows))
  }

  func items(of register: Register, _ counter: CounterRows, at path: PathKey) -> [HashItem] {
    register.versions.map { .version(path, $0, log: logs[$0.dot.log].id) }
      + counter.parts.map { .part(path, $0.part, log: logs[$0.log].id) }
      + counter.votes.flatMap { vote in
        vote.ballots.map { .ballot(path, vote.voter, $0, log: logs[$0.dot.log].id) }
      }
  }

  func items(ofPriorities row: [UInt8], at path: PathKey) throws(TreeError) -> [HashItem] {
    var items: [HashItem] = []
    for item in try PriorityItem.decode(row) { items.append(.priority(path, item, log: logs[item.dot.log].id)) }
    return items
  }

  /// Calls `body` with every path that holds something, and what that adds to the state hash: O(everything).
  ///
  /// A path may come more than once, and paths come in order only within each of the tables that hold them.
  func forEachItem(
    _ rows: borrowing StoreTransaction, _ body: (PathKey, HashItem) throws(TreeError) -> Void
  ) throws(TreeError) {
    for table in [PathTable.tree, .hidden] {
      try table.forEach(prefix: [], in: rows) { (key, value) throws(TreeError) in
        let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
        guard let register = try Register.decode(unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }) else {
          return true
        }
        for item in items(of: register, try counterRows(register, rows), at: path) { try body(path, item) }
        return true
      }
    }
    try PathTable.priority.forEach(prefix: [], in: rows) { (key, value) throws(TreeError) in
      let path = PathKey(trusted: unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })
      let row = unsafe value.withUnsafeBytes { unsafe [UInt8]($0) }
      for item in try items(ofPriorities: row, at: path) { try body(path, item) }
      return true
    }
  }
}
