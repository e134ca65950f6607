/// What a value of an expression can be, as far as it is known before it is evaluated.
struct RuleKinds: OptionSet {
  let rawValue: UInt8

  static let null = RuleKinds(rawValue: 1)
  static let bool = RuleKinds(rawValue: 2)
  static let number = RuleKinds(rawValue: 4)
  static let text = RuleKinds(rawValue: 8)
  /// A node with children, or `auth`: it can only be compared with null.
  static let tree = RuleKinds(rawValue: 16)

  static let any: RuleKinds = [.null, .bool, .number, .text, .tree]

  var words: String {
    let names: [(RuleKinds, String)] = [
      (.null, "null"), (.bool, "a boolean"), (.number, "a number"), (.text, "a string"), (.tree, "an object"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " or ")
  }
}

/// What a part of an expression is.
enum RuleType {
  case value(RuleKinds)
  case snapshot
}
