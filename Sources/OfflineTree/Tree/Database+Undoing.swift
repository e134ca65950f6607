extension Database {
  /// Undoes, by one new change, what this device's last changes did to the tree.
  ///
  /// Everything is applied anew without them, in a draft, and where they wrote the tree becomes what it is there. So it
  /// costs as much as applying all history, during which nobody writes.
  /// - Parameters:
  ///   - held: How many changes of each log of this device others are known to have.
  ///   - user: As whom it is undone.
  /// - Returns: How many changes were undone, and the elements of add-only sets that stay.
  /// - Throws: `refused` where the rules forbid it; then nothing is undone.
  package func undo(
    beyond held: [LogID: UInt64], as user: Key?
  ) async throws -> (changes: Int, kept: [Path]) {
    try await write(as: user) { transaction in
      let counts = transaction.state.heldCounts(held)
      let (changes, operations) = try transaction.state.operations(from: counts, transaction.rows)
      if operations.isEmpty { return (0, []) }
      var undoing = Undoing(operations)
      var draft = transaction.state
      draft.leftOut = counts
      try transaction.rows.withDraft { rows in
        try draft.rebuild(rows)
        undoing.before = try undoing.look(draft, rows)
      }
      undoing.now = try undoing.look(transaction.state, transaction.rows)
      for operation in undoing.operations(transaction.state.declarations) { transaction.form.append(operation) }
      return (changes, undoing.kept.sorted().map(\.path))
    }
  }
}

/// What some changes did, and what makes the tree what it would be without them.
private struct Undoing {
  /// What is at the places where they wrote.
  struct Look {
    var leaves: [PathKey: Scalar] = [:]
    var priorities: [PathKey: Scalar] = [:]
    var choices: [Ballot: Int8] = [:]
    var files: [FileName: FileContent] = [:]
  }

  struct Ballot: Hashable {
    var counter: PathKey
    var voter: Key
  }

  /// None below another.
  private var places: [PathKey] = []
  /// What takes back what was counted.
  private var counted: [PathKey: ExactSum] = [:]
  private var written: Set<PathKey> = []
  private var ballots: Set<Ballot> = []
  private var files: Set<FileName> = []
  var before = Look()
  var now = Look()
  /// Elements of add-only sets: what was added stays.
  private(set) var kept: Set<PathKey> = []

  init(_ operations: [Operation]) {
    var touched: Set<PathKey> = []
    for operation in operations {
      switch operation {
      case .clear(let path), .put(let path, _):
        written.insert(path)
        touched.insert(path)
      case .priority(let path, _): touched.insert(path)
      case .increment(let path, let delta):
        touched.insert(path)
        counted[path, default: ExactSum()].subtract(delta)
      case .vote(let counter, let voter, _): ballots.insert(Ballot(counter: counter, voter: voter))
      case .file(let name, _): files.insert(name)
      }
    }
    for path in touched.sorted() where !(places.last?.isPrefix(of: path) ?? false) { places.append(path) }
  }

  func look(_ replica: Replica, _ rows: borrowing StoreTransaction) throws -> Look {
    var look = Look()
    for place in places {
      // A scalar above went when something was written below it.
      for above in place.ancestors {
        if let scalar = try TreeReader.scalar(above, rows) { look.leaves[above] = scalar }
      }
      try rows.forEachLeaf(below: place) { key, scalar in
        look.leaves[PathKey(trusted: key)] = scalar
        return true
      }
      try replica.collectPriorities(below: place, into: &look.priorities, rows)
    }
    for ballot in ballots {
      let register = try replica.register(ballot.counter, rows).register
      let choice = try replica.ballots(of: ballot.voter, register.counter, rows).first?.choice
      look.choices[ballot] = choice ?? 0
    }
    for name in files { look.files[name] = try replica.files(name.key, rows).first?.content }
    return look
  }

  mutating func operations(_ declarations: Declarations) -> [Operation] {
    var operations: [Operation] = []
    for (path, _) in now.leaves where before.leaves[path] == nil {
      if declarations.isFlagged(path) { continue }
      if let element = declarations.element(of: path) {
        kept.insert(element.path)
      } else {
        operations.append(.clear(path))
      }
    }
    let counters = ballots.reduce(into: Set(counted.keys)) { $0.insert($1.counter) }
    for (path, scalar) in before.leaves where !declarations.isFlagged(path) {
      let isCounted = now.leaves[path]?.isNumber == true && scalar.isNumber && counters.contains(path)
      if isCounted, !written.contains(where: { $0.isPrefix(of: path) }) {
        // Also where a vote made up for it, so that the number is the same. Votes are undone on their own.
        if let sum = counted[path], !sum.isZeroAndIntegral { operations.append(.increment(path, by: sum.value)) }
      } else if now.leaves[path] != scalar, !declarations.isInElement(path) {
        operations.append(.put(path, scalar))
      }
    }
    for (ballot, choice) in before.choices where now.choices[ballot] != choice {
      operations.append(.vote(ballot.counter, voter: ballot.voter, choice: choice))
    }
    for name in files where before.files[name] != now.files[name] {
      operations.append(.file(name, before.files[name]))
    }
    for path in Set(before.priorities.keys).union(now.priorities.keys)
    where before.priorities[path] != now.priorities[path] && before.leaves.keys.contains(where: path.isPrefix)
      && !declarations.isInElement(path)
    {
      operations.append(.priority(path, before.priorities[path]))
    }
    return operations
  }
}
