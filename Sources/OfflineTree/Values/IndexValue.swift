/// What a query orders a child by, in Firebase's order: nothing, false, true, numbers, strings, objects.
///
/// All objects are equal to each other, and ties are broken by the keys of the children.
public enum IndexValue: Sendable, Hashable {
  /// There is nothing there.
  case null
  case scalar(Scalar)
  case object

  package init(_ scalar: Scalar?) { self = scalar.map { .scalar($0) } ?? .null }

  /// The scalar, if it is one.
  public var scalar: Scalar? { if case .scalar(let scalar) = self { scalar } else { nil } }

  package func compared(to other: IndexValue) -> Comparison {
    switch (self, other) {
    case (.null, .null), (.object, .object): .same
    case (.null, _), (_, .object): .ascending
    case (_, .null), (.object, _): .descending
    case (.scalar(let a), .scalar(let b)): a.compared(to: b)
    }
  }
}
