import TestSupport

@testable import OfflineTree

/// What a query finds, worked out from whole values in the simplest way.
struct NaiveQuery {
  struct Entry: Equatable {
    let key: String
    let value: IndexValue
  }

  static func answer(_ query: QueryParameters, _ parent: Value, _ priorities: [String: Scalar]) -> [Entry] {
    var entries = (parent.object?.members ?? []).map { member in
      Entry(key: member.key.text, value: indexValue(member, query.order, priorities))
    }
    entries.sort { order($0, $1) == .ascending }
    if query.isDescending { entries.reverse() }
    if let start = query.start {
      entries.removeAll { !isIn($0, start, query.isDescending ? .ascending : .descending) }
    }
    if let end = query.end { entries.removeAll { !isIn($0, end, query.isDescending ? .descending : .ascending) } }
    guard let limit = query.limit else { return entries }
    return Array(limit.side == .first ? entries.prefix(limit.count) : entries.suffix(limit.count))
  }

  private static func indexValue(
    _ member: Value.Object.Member, _ order: QueryOrder, _ priorities: [String: Scalar]
  ) -> IndexValue {
    let value: Value
    switch order {
    case .key: return .null
    case .priority: return IndexValue(priorities[member.key.text])
    case .value: value = member.value
    case .child(let path): value = member.value[path]
    }
    if case .object = value { return .object }
    return IndexValue(value.scalar)
  }

  /// - Parameter side: On which side of the bound is what is let in?
  private static func isIn(_ entry: Entry, _ bound: QueryBound, _ side: Comparison) -> Bool {
    let values = compare(entry.value, bound.value)
    if values != .same { return values == side }
    guard let key = bound.key else { return bound.isInclusive }
    if key.text == entry.key { return bound.isInclusive }
    return (keyOrder(entry.key, key.text) == .ascending) == (side == .ascending)
  }

  private static func order(_ left: Entry, _ right: Entry) -> Comparison {
    let values = compare(left.value, right.value)
    return values == .same ? keyOrder(left.key, right.key) : values
  }

  private static func keyOrder(_ left: String, _ right: String) -> Comparison {
    let (a, b) = (Key.of(left), Key.of(right))
    return a < b ? .ascending : b < a ? .descending : .same
  }

  private static func compare(_ left: IndexValue, _ right: IndexValue) -> Comparison {
    func rank(_ value: IndexValue) -> Int {
      switch value {
      case .null: 0
      case .scalar(.bool(false)): 1
      case .scalar(.bool(true)): 2
      case .scalar(.int), .scalar(.double): 3
      case .scalar(.string): 4
      case .object: 5
      }
    }
    if rank(left) != rank(right) { return rank(left) < rank(right) ? .ascending : .descending }
    guard let a = left.scalar, let b = right.scalar else { return .same }
    if case .string(let one) = a, case .string(let other) = b {
      let (one, other) = (Array(one.utf16), Array(other.utf16))
      return one == other ? .same : one.lexicographicallyPrecedes(other) ? .ascending : .descending
    }
    return a < b ? .ascending : b < a ? .descending : .same
  }
}
