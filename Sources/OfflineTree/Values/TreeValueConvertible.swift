/// A type that can be written wherever `setValue` takes anything, such as a date.
public protocol TreeValueConvertible {
  /// - Throws: `invalidArgument` for one that a tree cannot hold.
  func newValue() throws(TreeError) -> NewValue
}
