/// A condition on one field of a document.
struct FieldCondition: Sendable, Hashable {
  enum Operator: Sendable, Hashable { case equal, notEqual, less, lessOrEqual, greater, greaterOrEqual }

  enum Test: Sendable, Hashable {
    case compare(Operator, IndexValue)
    case isIn([IndexValue])
    case contains(IndexValue)
  }

  let field: Path
  let test: Test

  /// - Throws: `invalidArgument` for a value that nothing is ordered by.
  static func value(_ value: Any?) throws(TreeError) -> IndexValue {
    let new = try NewValue(any: value)
    switch new.content {
    case .null: return .null
    case .scalar(let scalar) where new.priority == nil: return .scalar(try scalar.normalized())
    default:
      throw TreeError(
        .invalidArgument, "a condition compares a field with what is no boolean, number or string",
        advice: "Compare one field inside of it, such as \"address.city\".")
    }
  }

  /// The value that the field has to have, if there is just one.
  var equal: IndexValue? { if case .compare(.equal, let value) = test { value } else { nil } }

  /// Where the values that pass are in the order of values, if they are all that is there; nil for a test that is not
  /// of that kind.
  var bounds: (start: QueryBound, end: QueryBound)? {
    guard case .compare(let comparison, let value) = test else { return nil }
    if comparison == .equal {
      let bound = QueryBound(value: value)
      return (bound, bound)
    }
    guard let kind = value.kindBounds else { return nil }
    switch comparison {
    case .equal, .notEqual: return nil
    case .less: return (kind.start, QueryBound(value: value, isInclusive: false))
    case .lessOrEqual: return (kind.start, QueryBound(value: value))
    case .greater: return (QueryBound(value: value, isInclusive: false), kind.end)
    case .greaterOrEqual: return (QueryBound(value: value), kind.end)
    }
  }

  /// Does a document that has this value of the field pass?
  /// - Parameter elements: The values of the field's children, where it is an array.
  func admits(_ value: IndexValue, elements: [IndexValue]) -> Bool {
    switch test {
    case .isIn(let values): values.contains { $0.compared(to: value) == .same }
    case .contains(let element): elements.contains { $0.compared(to: element) == .same }
    case .compare(.equal, let wanted): value.compared(to: wanted) == .same
    case .compare(.notEqual, let other): value != .null && value.compared(to: other) != .same
    case .compare(let comparison, let other): value.isComparable(to: other) && compare(value, comparison, other)
    }
  }

  private func compare(_ value: IndexValue, _ comparison: Operator, _ other: IndexValue) -> Bool {
    switch (comparison, value.compared(to: other)) {
    case (.less, .ascending), (.lessOrEqual, .ascending), (.lessOrEqual, .same): true
    case (.greater, .descending), (.greaterOrEqual, .descending), (.greaterOrEqual, .same): true
    default: false
    }
  }
}

extension IndexValue {
  private enum Kind { case bool, number, string }

  private var kind: Kind? {
    switch scalar {
    case nil: nil
    case .bool: .bool
    case .int, .double: .number
    case .string: .string
    }
  }

  func isComparable(to other: IndexValue) -> Bool { kind != nil && kind == other.kind }

  /// Where the values of this kind begin and end.
  fileprivate var kindBounds: (start: QueryBound, end: QueryBound)? {
    let emptyText = IndexValue.scalar(.string(""))
    return switch kind {
    case nil: nil
    case .bool: (QueryBound(value: .scalar(.bool(false))), QueryBound(value: .scalar(.bool(true))))
    case .number:
      (QueryBound(value: .scalar(.bool(true)), isInclusive: false), QueryBound(value: emptyText, isInclusive: false))
    case .string: (QueryBound(value: emptyText), QueryBound(value: .object, isInclusive: false))
    }
  }
}
