import OfflineTree
import TestSupport
import Testing

/// Every operator with every pair of values of every kind, against what the reference says in a few lines.
@Suite struct RuleOperatorTests {
  enum Sample: CaseIterable {
    case null, yes, no, zero, one, minusOne, large, wholeDouble, half, hugeDouble, empty, a, b, tree

    /// What a change puts for it; nothing for null.
    var json: JSON {
      switch self {
      case .null: .null
      case .yes: .scalar(.bool(true))
      case .no: .scalar(.bool(false))
      case .zero: .scalar(.int(0))
      case .one: .scalar(.int(1))
      case .minusOne: .scalar(.int(-1))
      case .large: .scalar(.int(.max))
      case .wholeDouble: .scalar(.double(1))
      case .half: .scalar(.double(0.5))
      case .hugeDouble: .scalar(.double(1e300))
      case .empty: .scalar(.string(""))
      case .a: .scalar(.string("a"))
      case .b: .scalar(.string("b"))
      case .tree: .object([("x", .scalar(.int(1)))])
      }
    }

    var scalar: Scalar? { if case .scalar(let scalar) = json { scalar } else { nil } }
    var number: Double? {
      switch scalar {
      case .int(let value)?: Double(value)
      case .double(let value)?: value
      default: nil
      }
    }
    var integer: Int64? { if case .int(let value)? = scalar { value } else { nil } }
    var text: String? { if case .string(let text)? = scalar { text } else { nil } }
    var bool: Bool? { if case .bool(let value)? = scalar { value } else { nil } }
  }

  /// No two numbers of the samples are equal as doubles and differ exactly, so doubles are enough here.
  private static func expected(_ sign: String, _ left: Sample, _ right: Sample) -> Bool? {
    switch sign {
    case "==", "===": areEqual(left, right)
    case "!=", "!==": !areEqual(left, right)
    case "&&": left.bool.flatMap { $0 ? right.bool : false }
    case "||": left.bool.flatMap { $0 ? true : right.bool }
    default:
      order(left, right).map { sign.hasPrefix("<") ? $0 < 0 : $0 > 0 || false }.flatMap { isStrict in
        sign.hasSuffix("=") ? isStrict || order(left, right) == 0 : isStrict
      }
    }
  }

  private static func areEqual(_ left: Sample, _ right: Sample) -> Bool {
    if let a = left.number, let b = right.number { return a == b }
    if left == .tree || right == .tree { return false }
    return left.scalar == right.scalar
  }

  private static func order(_ left: Sample, _ right: Sample) -> Int? {
    if let a = left.number, let b = right.number { return a == b ? 0 : a < b ? -1 : 1 }
    if let a = left.text, let b = right.text { return a == b ? 0 : a < b ? -1 : 1 }
    return nil
  }

  @Test(arguments: ["==", "===", "!=", "!==", "<", "<=", ">", ">=", "&&", "||"])
  func `a comparison comes to what the reference says for every pair`(sign: String) throws {
    for left in Sample.allCases {
      for right in Sample.allCases {
        let leaves = JSON.object([("l", left.json), ("r", right.json), ("z", .scalar(.int(0)))])
        let value = try Rules.value(
          of: "newData.child('l').val() \(sign) newData.child('r').val()", putting: leaves)
        #expect(value == Self.expected(sign, left, right), "\(left) \(sign) \(right)")
      }
    }
  }

  /// The result as the rules write it, or nil for an error.
  private static func result(_ sign: String, _ left: Sample, _ right: Sample) -> Scalar? {
    if sign == "+", let a = left.text, let b = right.text { return .string(a + b) }
    if let a = left.integer, let b = right.integer, let exact = integer(sign, a, b) { return .int(exact) }
    guard let a = left.number, let b = right.number else { return nil }
    let value =
      switch sign {
      case "+": a + b
      case "-": a - b
      case "*": a * b
      case "/": a / b
      default: a.truncatingRemainder(dividingBy: b)
      }
    return value.isFinite ? .double(value) : nil
  }

  /// In 128 bits, where it fits 64.
  private static func integer(_ sign: String, _ a: Int64, _ b: Int64) -> Int64? {
    let (a, b) = (Int128(a), Int128(b))
    switch sign {
    case "+": return Int64(exactly: a + b)
    case "-": return Int64(exactly: a - b)
    case "*": return Int64(exactly: a * b)
    case "/": return b != 0 && a % b == 0 ? Int64(exactly: a / b) : nil
    default: return b != 0 ? Int64(exactly: a % b) : nil
    }
  }

  @Test(arguments: ["+", "-", "*", "/", "%"])
  func `arithmetic comes to what the reference says for every pair`(sign: String) throws {
    for left in Sample.allCases {
      for right in Sample.allCases {
        let result = Self.result(sign, left, right)
        let expected = result.map { JSON($0) } ?? .scalar(.int(0))
        let leaves = JSON.object([
          ("l", left.json), ("r", right.json), ("z", .scalar(.int(0))), ("expected", expected),
        ])
        let value = try Rules.value(
          of: "newData.child('l').val() \(sign) newData.child('r').val() == newData.child('expected').val()",
          putting: leaves)
        #expect(value == (result == nil ? nil : true), "\(left) \(sign) \(right)")
      }
    }
  }

  @Test(arguments: Sample.allCases)
  func `an operator of one value and a condition come to what the reference says`(sample: Sample) throws {
    let leaves = JSON.object([("v", sample.json), ("z", .scalar(.int(0)))])
    let value = "newData.child('v').val()"
    #expect(try Rules.value(of: "!\(value)", putting: leaves) == sample.bool.map { !$0 })
    #expect(try Rules.value(of: "\(value) ? true : false", putting: leaves) == sample.bool)
    #expect(try Rules.value(of: "-\(value) == 0 - \(value)", putting: leaves) == (sample.number == nil ? nil : true))
    #expect(try Rules.value(of: "\(value).length >= 0", putting: leaves) == (sample.text == nil ? nil : true))
  }
}
