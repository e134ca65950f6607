extension Scalar {
  /// Whether this sorts before `other` in Firebase's order of values: false, true, numbers, strings.
  ///
  /// Numbers are ordered by what they are worth, so that neither of 1 and 1.0 sorts before the other; strings by
  /// UTF-16 code units.
  public static func < (left: Scalar, right: Scalar) -> Bool {
    left.compared(to: right) == .ascending
  }

  /// The same order with its ties.
  package func compared(to other: Scalar) -> Comparison {
    switch (self, other) {
    case (.int(let a), .int(let b)): Scalar.compare(a, b)
    case (.double(let a), .double(let b)): Scalar.compare(a, b)
    case (.int(let a), .double(let b)): Scalar.compare(a, b)
    case (.double(let a), .int(let b)):
      switch Scalar.compare(b, a) {
      case .ascending: .descending
      case .same: .same
      case .descending: .ascending
      }
    case (.string(let a), .string(let b)): UTF8Text.compare(a, b)
    default: Scalar.compare(rank, other.rank)
    }
  }

  private var rank: Int {
    switch self {
    case .bool(let value): value ? 1 : 0
    case .int, .double: 2
    case .string: 3
    }
  }

  private static func compare<Number: Comparable>(_ left: Number, _ right: Number) -> Comparison {
    left < right ? .ascending : left > right ? .descending : .same
  }

  /// Exact: an integer beyond 2^53 is not rounded to be compared.
  private static func compare(_ left: Int64, _ right: Double) -> Comparison {
    if right >= 0x1p63 { return .ascending }
    if right < -0x1p63 { return .descending }
    let whole = right.rounded(.down)
    let order = compare(left, Int64(whole))
    return order == .same && whole < right ? .ascending : order
  }
}
