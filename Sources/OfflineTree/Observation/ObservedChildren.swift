/// The children that a query finds, kept up by what each commit touched.
///
/// Of a query with a limit more children are known than count, so that one that leaves is replaced without another
/// look at the tree: all up to the farthest of them, the edge. Only when too few are left is the query run again.
struct ObservedChildren {
  struct Child {
    /// What orders it.
    var value: IndexValue
    /// Of those that count; nil also where it is not worked out.
    var print: Int?
    /// Of those that count, where somebody hears of removals.
    var copy: CopiedNode?
  }

  private let query: QueryParameters
  private let node: PathKey
  private var entries: SortedEntries
  private var known: [PathKey: Child] = [:]
  /// Is every child of the query known?
  private var isComplete = true
  /// Those that count, where there is a limit.
  private var limited: [QueryEntry] = []
  private let keepsCopies: Bool
  /// How often the query was run.
  private(set) var runs = 0
  /// Did it have to look at every child, though there could be an index?
  private(set) var isScan = false

  init(
    _ query: QueryParameters, at node: PathKey, keepsCopies: Bool, _ rows: borrowing StoreTransaction,
    _ replica: Replica
  ) throws(TreeError) {
    self.query = query
    self.node = node
    self.keepsCopies = keepsCopies
    entries = SortedEntries(query)
    try fill(rows, replica)
    limited = cut
    for entry in query.limit == nil ? entries.all : limited { try describe(entry, rows, replica) }
  }

  /// How many children are known of a query with a limit, before some are forgotten.
  private static func capacity(_ limit: Int) -> Int { limit + min(limit, 1_024) + 32 }

  /// The children that count, in order. O(n).
  var window: [QueryEntry] { query.limit == nil ? entries.all : limited }

  var isEmpty: Bool { query.limit == nil ? entries.isEmpty : limited.isEmpty }

  /// The one before a child that counts.
  func previous(_ entry: QueryEntry) -> Key? {
    if query.limit != nil, entry == limited.first { return nil }
    return entries.predecessor(of: entry)?.key
  }

  /// Runs the query.
  private mutating func fill(_ rows: borrowing StoreTransaction, _ replica: Replica) throws(TreeError) {
    runs += 1
    var wider = query
    if let limit = query.limit { wider.limit = QueryLimit(Self.capacity(limit.count), limit.side) }
    let window = try QueryEngine.window(wider, at: node, rows, replica)
    let found = window.entries
    isScan = window.isScan
    entries = SortedEntries(query, found)
    isComplete = wider.limit.map { found.count < $0.count } ?? true
    var described: [PathKey: Child] = [:]
    for entry in found {
      var child = known[entry.path] ?? Child(value: entry.value)
      child.value = entry.value
      described[entry.path] = child
    }
    known = described
  }

  private var cut: [QueryEntry] {
    guard let limit = query.limit else { return [] }
    return limit.side == .first ? entries.prefix(limit.count) : entries.suffix(limit.count)
  }

  /// Works out what is kept of a child that counts.
  private mutating func describe(
    _ entry: QueryEntry, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) {
    known[entry.path] = Child(
      value: entry.value, print: try Fingerprint.of(entry.path, rows, replica),
      copy: keepsCopies ? try CopiedNode(copying: entry.path, rows, replica) : nil)
  }
}

/// What has happened to the children that count, each kind in their order.
struct ChildChanges {
  var removed: [(entry: QueryEntry, copy: CopiedNode?)] = []
  var added: [QueryEntry] = []
  var moved: [QueryEntry] = []
  var changed: [QueryEntry] = []

  var isEmpty: Bool { removed.isEmpty && added.isEmpty && changed.isEmpty }

  fileprivate mutating func sort(by query: QueryParameters) {
    removed.sort { query.precedes($0.entry, $1.entry) }
    added.sort(by: query.precedes)
    moved.sort(by: query.precedes)
    changed.sort(by: query.precedes)
  }
}

extension ObservedChildren {
  /// Brings the children up to date. O(what was touched · log n), and O(limit).
  mutating func update(
    _ touches: Touches, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> ChildChanges {
    // Copied only where something is looked for in it that is no longer there.
    let before = touches.isWhole ? known : [:]
    var touched: [PathKey: Child?] = [:]
    let old = limited
    if touches.isWhole {
      try fill(rows, replica)
      for (path, child) in before { touched[path] = child }
      for path in known.keys where before[path] == nil { touched[path] = .some(nil) }
    } else {
      for path in touches.children { touched[path] = .some(try replace(path, rows, replica)) }
    }
    try refill(rows, replica)
    limited = cut
    var changes = ChildChanges()
    if query.limit == nil {
      for (path, before) in touched { try note(path, before, known[path], &changes, rows, replica) }
    } else {
      try compare(old, touched, &changes, rows, replica)
    }
    changes.sort(by: query)
    return changes
  }

  /// Puts a child where it belongs now.
  /// - Returns: What was known of it.
  private mutating func replace(
    _ path: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> Child? {
    let old = known[path]
    if let old {
      entries.remove(QueryEntry(path, old.value))
      known[path] = nil
    }
    if let new = try QueryEngine.entry(of: path, by: query.order, rows, replica), query.admits(new), isWithin(new) {
      entries.insert(new)
      known[path] = Child(value: new.value, print: old?.print, copy: old?.copy)
    }
    return old
  }

  /// Is an entry before the edge, so that all that stand between are known?
  private func isWithin(_ entry: QueryEntry) -> Bool {
    if isComplete { return true }
    guard query.limit?.side == .last else { return entries.last.map { query.precedes(entry, $0) } ?? false }
    return entries.first.map { query.precedes($0, entry) } ?? false
  }

  private mutating func refill(_ rows: borrowing StoreTransaction, _ replica: Replica) throws(TreeError) {
    guard let limit = query.limit else { return }
    if !isComplete, entries.count < limit.count { return try fill(rows, replica) }
    while entries.count > Self.capacity(limit.count) {
      guard let edge = limit.side == .first ? entries.last : entries.first else { return }
      entries.remove(edge)
      known[edge.path] = nil
      isComplete = false
    }
  }

  /// Finds what came and went among those that count by their limit.
  private mutating func compare(
    _ old: [QueryEntry], _ touched: [PathKey: Child?], _ changes: inout ChildChanges,
    _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) {
    let now = Set(limited.map(\.path))
    let before = Set(old.map(\.path))
    for entry in old where !now.contains(entry.path) {
      let child = touched[entry.path].flatMap { $0 } ?? known[entry.path]
      changes.removed.append((entry, child?.copy))
      known[entry.path]?.print = nil
      known[entry.path]?.copy = nil
    }
    for entry in limited {
      if !before.contains(entry.path) {
        try describe(entry, rows, replica)
        changes.added.append(entry)
      } else if let child = touched[entry.path] {
        try note(entry.path, child, known[entry.path], &changes, rows, replica)
      }
    }
  }

  /// Notes what happened to one child that may have changed.
  private mutating func note(
    _ path: PathKey, _ before: Child?, _ now: Child?, _ changes: inout ChildChanges,
    _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) {
    guard let now else {
      if let before { changes.removed.append((QueryEntry(path, before.value), before.copy)) }
      return
    }
    let entry = QueryEntry(path, now.value)
    try describe(entry, rows, replica)
    guard let before else { return changes.added.append(entry) }
    let isMoved = before.value.compared(to: now.value) != .same
    if isMoved { changes.moved.append(entry) }
    if isMoved || before.print == nil || before.print != known[path]?.print { changes.changed.append(entry) }
  }
}

extension CopiedNode {
  /// Copies a node with its priorities. O(size).
  init(copying node: PathKey, _ rows: borrowing StoreTransaction, _ replica: Replica) throws(TreeError) {
    var shown: [PathKey: Scalar] = [:]
    try replica.collectPriorities(below: node, into: &shown, rows)
    self.init(base: node, copy: try TreeReader.value(at: node, rows), shown: shown)
  }
}
