extension RuleParser {
  /// How tight a binary operator binds, from 0; nil for what is none.
  private static func strength(_ sign: RuleSign) -> Int? {
    switch sign {
    case .or: 0
    case .and: 1
    case .identical, .notIdentical, .equal, .unequal: 2
    case .less, .lessOrEqual, .greater, .greaterOrEqual: 3
    case .plus, .minus: 4
    case .times, .slash, .percent: 5
    default: nil
    }
  }

  /// Operators that bind at least as tight as `least`, from left to right.
  mutating func binary(from least: Int) throws(TreeError) -> RuleType {
    let place = start
    var left = try unary()
    while case .sign(let sign) = token, let strength = RuleParser.strength(sign), strength >= least {
      let signPlace = start
      try advance()
      if sign == .and || sign == .or {
        left = try logical(sign, left, at: place, strength)
        continue
      }
      let leftKinds = try kinds(of: left, at: place)
      let rightPlace = start
      let rightKinds = try kinds(of: try binary(from: strength + 1), at: rightPlace)
      left = .value(try combine(sign, leftKinds, rightKinds, at: signPlace))
    }
    return left
  }

  private mutating func logical(
    _ sign: RuleSign, _ left: RuleType, at place: Int, _ strength: Int
  ) throws(TreeError) -> RuleType {
    try require(.bool, left, at: place, "what stands before \(sign.rawValue)")
    let jump = emitJump(sign == .and ? .orElseFalse : .orElseTrue)
    let rightPlace = start
    let right = try binary(from: strength + 1)
    try require(.bool, right, at: rightPlace, "what stands after \(sign.rawValue)")
    if try kinds(of: right, at: rightPlace) != .bool { emit(.boolean) }
    land(jump)
    return .value(.bool)
  }

  private mutating func combine(
    _ sign: RuleSign, _ left: RuleKinds, _ right: RuleKinds, at place: Int
  ) throws(TreeError) -> RuleKinds {
    let common = left.intersection(right)
    switch sign {
    case .identical, .equal, .notIdentical, .unequal:
      // To ask of something that is never null whether it is null has a sense for people, and an answer.
      guard !common.subtracting(.tree).isEmpty || left == .null || right == .null else {
        throw error("\(left.words) is never equal to \(right.words)", at: place)
      }
      emit(sign == .identical || sign == .equal ? .equal : .unequal)
      return .bool
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      try requireCommon(common, [.number, .text], sign, left, right, at: place)
      emit(RuleParser.order(sign))
      return .bool
    case .plus:
      try requireCommon(common, [.number, .text], sign, left, right, at: place)
      emit(.add)
      return common.intersection([.number, .text])
    default:
      try requireCommon(common, .number, sign, left, right, at: place)
      emit(RuleParser.arithmetic(sign))
      return .number
    }
  }

  private func requireCommon(
    _ common: RuleKinds, _ wanted: RuleKinds, _ sign: RuleSign, _ left: RuleKinds, _ right: RuleKinds, at place: Int
  ) throws(TreeError) {
    guard common.isDisjoint(with: wanted) else { return }
    let needed = wanted == .number ? "two numbers" : "two numbers or two strings"
    throw error("\(sign.rawValue) takes \(needed), not \(left.words) and \(right.words)", at: place)
  }

  private static func order(_ sign: RuleSign) -> RuleInstruction.Code {
    switch sign {
    case .less: .less
    case .lessOrEqual: .lessOrEqual
    case .greater: .greater
    default: .greaterOrEqual
    }
  }

  private static func arithmetic(_ sign: RuleSign) -> RuleInstruction.Code {
    switch sign {
    case .minus: .subtract
    case .times: .multiply
    case .slash: .divide
    default: .remainder
    }
  }

  private mutating func unary() throws(TreeError) -> RuleType {
    let place = start
    if token == .sign(.not) || token == .sign(.minus) {
      let isNot = token == .sign(.not)
      return try nested { (parser) throws(TreeError) in
        try parser.advance()
        let operandPlace = parser.start
        let operand = try parser.unary()
        try parser.require(isNot ? .bool : .number, operand, at: operandPlace, "what stands after \(isNot ? "!" : "-")")
        parser.emit(isNot ? .not : .negate)
        return .value(isNot ? .bool : .number)
      }
    }
    var type = try primary()
    while true {
      if token == .sign(.openBracket) { throw error("there is no [ ] here", advice: "Use .child('name').") }
      guard try take(.dot) else { return type }
      type = try member(of: type, at: place)
    }
  }
}
