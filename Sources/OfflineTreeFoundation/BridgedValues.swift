public import Foundation
public import OfflineTree

/// Objects of Foundation in what `setValue` takes.
extension NSNull: TreeValueConvertible {
  public func newValue() -> NewValue { .null }
}

extension NSNumber: TreeValueConvertible {
  /// A double, an integer, or a boolean: as Firebase's SDK has it, a number that was made of a `Bool` or an `Int8`.
  public func newValue() throws(TreeError) -> NewValue {
    switch unsafe UInt8(bitPattern: objCType.pointee) {
    case UInt8(ascii: "B"), UInt8(ascii: "c"): NewValue(Scalar.bool(boolValue))
    case UInt8(ascii: "f"), UInt8(ascii: "d"): NewValue(try Scalar.number(doubleValue))
    case UInt8(ascii: "Q"): try NewValue(any: uint64Value)
    default: NewValue(Scalar.int(int64Value))
    }
  }
}

extension NSString: TreeValueConvertible {
  public func newValue() throws(TreeError) -> NewValue { try NewValue(any: String(describing: self)) }
}

extension NSArray: TreeValueConvertible {
  public func newValue() throws(TreeError) -> NewValue {
    var elements: [Any] = []
    for element in self { elements.append(element) }
    return try NewValue(any: elements)
  }
}

extension NSDictionary: TreeValueConvertible {
  /// - Throws: `invalidArgument` for a key that is no text.
  public func newValue() throws(TreeError) -> NewValue {
    var members: [String: Any] = [:]
    for (name, value) in self {
      guard let name = name as? String ?? (name as? NSString).map(String.init(describing:)) else {
        throw TreeError(.invalidArgument, "a dictionary has the key \(name), which is no text")
      }
      members[name] = value
    }
    return try NewValue(any: members)
  }
}
