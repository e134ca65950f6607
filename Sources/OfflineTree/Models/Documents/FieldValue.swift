/// What a field of a document becomes, where that is no plain value.
public struct FieldValue: Sendable {
  enum Content: Sendable {
    case delete
    case value(NewValue)
    case union([NewValue])
    case removal([NewValue])
    case invalid(TreeError)
  }

  let content: Content

  /// Removes the field: in `updateData`, and in `setData` with `merge`.
  public static func delete() -> FieldValue { FieldValue(content: .delete) }

  /// The wall time of the change, in milliseconds since 1970.
  public static func serverTimestamp() -> FieldValue { FieldValue(content: .value(.timestamp)) }

  /// Adds to the number that is there: none is ever lost or counted twice, whoever adds meanwhile.
  public static func increment(_ delta: Int) -> FieldValue { adding(.int(Int64(delta))) }

  /// The same for a number with a fraction.
  public static func increment(_ delta: Double) -> FieldValue { adding(.double(delta)) }

  private static func adding(_ delta: Scalar) -> FieldValue {
    made { () throws(TreeError) in .value(try NewValue.increment(delta)) }
  }

  /// Adds those elements to an array that it does not have.
  ///
  /// The array is written as a whole: of two devices that add while apart, one wins. Use a map `{key: true}` where both
  /// are to count.
  public static func arrayUnion(_ elements: [Any]) -> FieldValue {
    made { () throws(TreeError) in .union(try elements.map { element throws(TreeError) in try NewValue(any: element) })
    }
  }

  /// Takes all elements out of an array that are equal to one of those; see `arrayUnion(_:)`.
  public static func arrayRemove(_ elements: [Any]) -> FieldValue {
    made { () throws(TreeError) in
      .removal(try elements.map { element throws(TreeError) in try NewValue(any: element) })
    }
  }

  /// What is wrong with a field's value is thrown when it is written.
  private static func made(_ content: () throws(TreeError) -> Content) -> FieldValue {
    do throws(TreeError) {
      return FieldValue(content: try content())
    } catch {
      return FieldValue(content: .invalid(error))
    }
  }
}

extension FieldValue: TreeValueConvertible {
  /// The value, where a whole document or another value is written.
  public func newValue() throws(TreeError) -> NewValue {
    switch content {
    case .value(let value): return value
    case .invalid(let error): throw error
    case .delete, .union, .removal:
      throw TreeError(
        .invalidArgument, "FieldValue.delete, arrayUnion and arrayRemove change a field that is there",
        advice: "Use them as fields of updateData, or of setData with merge.")
    }
  }
}

extension Timestamp: TreeValueConvertible {
  public func newValue() throws(TreeError) -> NewValue { NewValue(Scalar.int(try millisecondsSince1970())) }
}
