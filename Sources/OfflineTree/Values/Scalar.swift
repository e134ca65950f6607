/// A value without members: what the tree holds at one path.
///
/// Equality is of kind and bits: 1 is not 1.0, and strings are equal when their UTF-8 bytes are.
public enum Scalar: Sendable {
  case bool(Bool)
  case int(Int64)
  /// Finite, and never −0.0: make it with `number(_:)`.
  case double(Double)
  /// At most `Limits.stringBytes` of UTF-8.
  case string(String)

  /// A number from a double: −0.0 becomes 0.0.
  /// - Throws: `invalidArgument` for NaN and the infinities, which JSON has no words for.
  public static func number(_ value: Double) throws(TreeError) -> Scalar {
    guard value.isFinite else {
      throw TreeError(.invalidArgument, "\(value) cannot be stored", advice: "Use a finite number, or null.")
    }
    return .double(value == 0 ? 0 : value)
  }

  public var isNumber: Bool {
    switch self {
    case .int, .double: true
    case .bool, .string: false
    }
  }

  /// Checks a value that a caller made without `number(_:)`, and brings it into the one form that is stored.
  /// - Throws: `invalidArgument` for a double that is not finite, `limitExceeded` for a string that is too long.
  package func normalized() throws(TreeError) -> Scalar {
    switch self {
    case .bool, .int: return self
    case .double(let value): return try .number(value)
    case .string(let text):
      guard text.utf8.count <= Limits.stringBytes else {
        throw TreeError(
          .limitExceeded, "a string of \(text.utf8.count) bytes is longer than \(Limits.stringBytes)",
          advice: "Store it as a file.")
      }
      return self
    }
  }
}

extension Scalar: Hashable {
  public static func == (left: Scalar, right: Scalar) -> Bool {
    switch (left, right) {
    case (.bool(let a), .bool(let b)): a == b
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a.bitPattern == b.bitPattern
    case (.string(let a), .string(let b)): UTF8Text.areEqual(a, b)
    default: false
    }
  }

  public func hash(into hasher: inout Hasher) {
    switch self {
    case .bool(let value): hasher.combine(value)
    case .int(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value.bitPattern)
    case .string(let text): text.hashUTF8(into: &hasher)
    }
  }
}
