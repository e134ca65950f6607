/// Numbers of expressions. Integers of 64 bits stay exact while the result is one; everything else is a double, and what
/// a double cannot hold is no number: the expression is false.
extension RuleValue {
  private static func finite(_ value: Double) -> RuleValue? { value.isFinite ? .double(value) : nil }

  private var double: Double? {
    switch self {
    case .int(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }

  /// `left` `+ - *` `right`.
  static func arithmetic(_ code: RuleInstruction.Code, _ left: RuleValue, _ right: RuleValue) -> RuleValue? {
    if case .int(let a) = left, case .int(let b) = right, let exact = exact(code, a, b) { return .int(exact) }
    guard let a = left.double, let b = right.double else { return nil }
    switch code {
    case .add: return finite(a + b)
    case .subtract: return finite(a - b)
    case .multiply: return finite(a * b)
    case .divide: return finite(a / b)
    default: return finite(a.truncatingRemainder(dividingBy: b))
    }
  }

  /// The result of two integers where it is one.
  private static func exact(_ code: RuleInstruction.Code, _ a: Int64, _ b: Int64) -> Int64? {
    let (value, isNoInteger): (Int64, Bool)
    switch code {
    case .add: (value, isNoInteger) = a.addingReportingOverflow(b)
    case .subtract: (value, isNoInteger) = a.subtractingReportingOverflow(b)
    case .multiply: (value, isNoInteger) = a.multipliedReportingOverflow(by: b)
    case .divide:
      guard b != 0, b == -1 || a % b == 0 else { return nil }
      (value, isNoInteger) = a.dividedReportingOverflow(by: b)
    default:
      if b == -1 { return 0 }
      (value, isNoInteger) = a.remainderReportingOverflow(dividingBy: b)
    }
    return isNoInteger ? nil : value
  }

  var negated: RuleValue? {
    switch self {
    case .int(let value): value == .min ? .double(-Double(value)) : .int(-value)
    case .double(let value): .double(-value)
    default: nil
    }
  }

  /// Nil unless both are numbers or both are strings.
  static func compare(_ left: RuleValue, _ right: RuleValue) -> Comparison? {
    switch (left, right) {
    case (.int(let a), .int(let b)): a == b ? .same : a < b ? .ascending : .descending
    case (.double(let a), .double(let b)): a == b ? .same : a < b ? .ascending : .descending
    case (.int(let a), .double(let b)): compare(a, b)
    case (.double(let a), .int(let b)): compare(b, a).reversed
    case (.text(let a), .text(let b)): a.withSpan { a in b.withSpan { b in UTF8Text.compare(a, b) } }
    default: nil
    }
  }

  /// By exact value: an integer beyond 2^53 may have no double.
  private static func compare(_ integer: Int64, _ double: Double) -> Comparison {
    if double >= 0x1p63 { return .ascending }
    if double < -0x1p63 { return .descending }
    let whole = Int64(double)
    if integer != whole { return integer < whole ? .ascending : .descending }
    let rest = double - Double(whole)
    return rest == 0 ? .same : rest > 0 ? .ascending : .descending
  }

  /// Values of two kinds are never equal; 1 and 1.0 are.
  static func areEqual(_ left: RuleValue, _ right: RuleValue) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.text(let a), .text(let b)): RuleText.areEqual(a, b)
    default: compare(left, right) == .same
    }
  }
}

extension Comparison {
  var reversed: Comparison {
    switch self {
    case .ascending: .descending
    case .same: .same
    case .descending: .ascending
    }
  }
}
