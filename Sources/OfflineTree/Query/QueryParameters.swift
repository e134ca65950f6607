/// Which children of a node a query is about, and in which order.
package struct QueryParameters: Sendable, Hashable {
  package var order = QueryOrder.priority
  /// From the last child in the order to the first: `start` is then where the last ones are.
  package var isDescending = false
  /// Where the answer begins and ends, as the query's own direction goes.
  package var start: QueryBound?
  package var end: QueryBound?
  package var limit: QueryLimit?

  package init() {}

  /// Every child, in the order of priorities: what a plain reference is.
  package static let all = QueryParameters()

  /// Does it leave children out?
  package var isFiltered: Bool { start != nil || end != nil || limit != nil }

  /// The order of two children; the path keys are those of siblings.
  package func precedes(_ left: QueryEntry, _ right: QueryEntry) -> Bool {
    isDescending ? right.isBefore(left) : left.isBefore(right)
  }

  /// Is a child within the bounds?
  package func admits(_ entry: QueryEntry) -> Bool {
    if let start, !start.admits(entry, after: !isDescending) { return false }
    if let end, !end.admits(entry, after: isDescending) { return false }
    return true
  }
}

/// What the children are ordered by; ties are broken by their keys.
package enum QueryOrder: Sendable, Hashable {
  case priority
  case key
  case value
  /// By what stands at that path below each child.
  case child(Path)
}

/// One end of a query.
package struct QueryBound: Sendable, Hashable {
  /// Nothing in a query that is ordered by key.
  package var value: IndexValue
  /// Where among the children of that value; nil: before or behind all of them.
  package var key: Key?
  package var isInclusive: Bool

  package init(value: IndexValue, key: Key? = nil, isInclusive: Bool = true) {
    self.value = value
    self.key = key
    self.isInclusive = isInclusive
  }

  /// - Parameter after: Is what lies above the bound admitted, or what lies below?
  func admits(_ entry: QueryEntry, after: Bool) -> Bool {
    switch entry.value.compared(to: value) {
    case .ascending: return !after
    case .descending: return after
    case .same: break
    }
    guard let key, let own = entry.path.lastKey else { return isInclusive }
    if own == key { return isInclusive }
    return (key < own) == after
  }
}

/// How many children a query is about.
package struct QueryLimit: Sendable, Hashable {
  package enum Side: Sendable, Hashable { case first, last }

  package var count: Int
  package var side: Side

  package init(_ count: Int, _ side: Side) {
    self.count = count
    self.side = side
  }
}

/// A child in the answer to a query.
package struct QueryEntry: Sendable, Hashable {
  package let path: PathKey
  /// What orders it.
  package let value: IndexValue

  package init(_ path: PathKey, _ value: IndexValue) {
    self.path = path
    self.value = value
  }

  /// - Complexity: O(length of the path).
  package var key: Key {
    guard let key = path.lastKey else { preconditionFailure("A child of a node has a key") }
    return key
  }

  func isBefore(_ other: QueryEntry) -> Bool {
    switch value.compared(to: other.value) {
    case .ascending: true
    case .descending: false
    case .same: path < other.path
    }
  }
}
