extension RuleParser {
  private mutating func name() throws(TreeError) -> String {
    guard case .name(let name) = token else { throw error("expected a name after the dot") }
    try advance()
    return name
  }

  /// A literal, a name, or an expression in parentheses.
  mutating func primary() throws(TreeError) -> RuleType {
    let place = start
    let taken = token
    switch taken {
    case .number(let number):
      try advance()
      code.numbers.append(number)
      emit(.number, code.numbers.count - 1)
      return .value(.number)
    case .text(let text):
      try advance()
      code.texts.append(text)
      emit(.text, code.texts.count - 1)
      return .value(.text)
    case .variable(let name):
      try advance()
      guard let level = variables.lastIndex(where: { $0.map { UTF8Text.areEqual($0, name) } ?? false }) else {
        throw error("there is no \(name) here or above", at: place)
      }
      emit(.variable, level + 1)
      return .value(.text)
    case .name(let name):
      try advance()
      return try named(name, at: place)
    case .sign(.open):
      try advance()
      let type = try choice()
      try expect(.close)
      return type
    case .sign(.slash): throw error("a pattern stands where a value should be", advice: "Use it in .matches(/…/).")
    case .end: throw error("the expression ends where a value should be")
    case .sign: throw error("expected a value")
    }
  }

  private mutating func named(_ name: String, at place: Int) throws(TreeError) -> RuleType {
    switch name {
    case "true", "false":
      emit(name == "true" ? .yes : .no)
      return .value(.bool)
    case "null":
      emit(.null)
      return .value(.null)
    case "now":
      emit(.now)
      return .value(.number)
    case "auth": return .value(try auth(at: place))
    case "newData":
      if rule == .read { throw error("newData does not exist in .read", at: place) }
      emit(.newData)
      return .snapshot
    case "data", "root":
      throw error(
        "\(name) does not exist here: replicas have no single value before a change, and what conflicts is merged",
        at: place, advice: "Use add-only sets, .vote and .increment for what depends on what is there.")
    case "query": throw error("query does not exist here", at: place, advice: "Limit reading by path.")
    default: throw error("there is no \(name)", at: place, advice: "There are auth, newData, now and $variables.")
    }
  }

  private mutating func auth(at place: Int) throws(TreeError) -> RuleKinds {
    guard try take(.dot) else {
      emit(.auth)
      return [.null, .tree]
    }
    let memberPlace = start
    var member = try name()
    if member == "token" {
      guard try take(.dot) else {
        throw error("auth.token is no value", at: place, advice: "Use auth.token.email, .name or .email_verified.")
      }
      member = "token." + (try name())
    }
    switch member {
    case "uid":
      namesWho = true
      emit(.uid)
    case "provider": emit(.provider)
    case "email", "token.email":
      emailStart = emailStart ?? place
      emit(.email)
    case "token.name": emit(.name)
    case "token.email_verified":
      namesWho = true
      emit(.emailVerified)
      return [.null, .bool]
    default:
      throw error(
        "there is no auth.\(member)", at: memberPlace,
        advice: "There are auth.uid, auth.provider, auth.token.email, auth.token.name and auth.token.email_verified.")
    }
    return [.null, .text]
  }

  /// What follows a dot.
  mutating func member(of type: RuleType, at place: Int) throws(TreeError) -> RuleType {
    let memberPlace = start
    let member = try name()
    guard case .value(let kinds) = type else { return try snapshotMember(member, at: memberPlace) }
    guard kinds.contains(.text) else {
      throw error("\(kinds.words) has no .\(member)", at: memberPlace, advice: "Strings have members.")
    }
    return .value(try textMember(member, at: memberPlace))
  }

  private mutating func snapshotMember(_ member: String, at place: Int) throws(TreeError) -> RuleType {
    let plain: [String: (RuleInstruction.Code, RuleType)] = [
      "val": (.val, .value(.any)), "exists": (.exists, .value(.bool)), "isString": (.isString, .value(.bool)),
      "isNumber": (.isNumber, .value(.bool)), "isBoolean": (.isBoolean, .value(.bool)), "parent": (.parent, .snapshot),
    ]
    if let (instruction, type) = plain[member] {
      try expect(.open)
      try expect(.close)
      emit(instruction)
      return type
    }
    switch member {
    case "child", "hasChild":
      try expect(.open)
      emit(.child, try childPath())
      try expect(.close)
      if member == "child" { return .snapshot }
      emit(.exists)
    case "hasChildren":
      try expect(.open)
      try hasChildren()
    case "getPriority": throw error("getPriority() does not exist here", at: place)
    default:
      throw error(
        "newData has no .\(member)", at: place,
        advice: "It has val, child, parent, exists, isString, isNumber, isBoolean, hasChild and hasChildren.")
    }
    return .value(.bool)
  }

  /// The rest of `hasChildren(`.
  private mutating func hasChildren() throws(TreeError) {
    if try take(.close) { return emit(.hasChildren) }
    guard try take(.openBracket) else {
      throw error("hasChildren() takes a list of names", advice: "Write ['a', 'b'].")
    }
    var jumps: [Int] = []
    repeat {
      jumps.append(emitJump(.requireChild, try childPath()))
    } while try take(.comma)
    try expect(.closeBracket)
    try expect(.close)
    emit(.allChildren)
    for jump in jumps { land(jump) }
  }

  /// The number of a literal path, or -1 for an expression, whose text is then on the stack.
  private mutating func childPath() throws(TreeError) -> Int {
    let place = start
    let first = code.instructions.count
    let kinds = try value()
    guard kinds.contains(.text) else { throw error("a child's path is \(kinds.words), not a string", at: place) }
    guard code.instructions.count == first + 1, code.instructions[first].code == .text else { return -1 }
    code.instructions.removeLast()
    do throws(TreeError) {
      let path = try Path(String(decoding: code.texts.removeLast(), as: UTF8.self))
      if path.isRoot { throw TreeError(.invalidArgument, "a child's path is empty") }
      code.paths.append(RulePath(bytes: PathKey(path).bytes, levels: path.keys.count))
    } catch {
      throw self.error(error.context, at: place, advice: error.advice)
    }
    return code.paths.count - 1
  }

  private mutating func textMember(_ member: String, at place: Int) throws(TreeError) -> RuleKinds {
    if member == "length" {
      emit(.length)
      return .number
    }
    let methods: [String: (RuleInstruction.Code, Int, RuleKinds)] = [
      "contains": (.contains, 1, .bool), "beginsWith": (.beginsWith, 1, .bool), "endsWith": (.endsWith, 1, .bool),
      "toLowerCase": (.lower, 0, .text), "toUpperCase": (.upper, 0, .text), "replace": (.replace, 2, .text),
    ]
    guard let (instruction, count, result) = methods[member] ?? (member == "matches" ? (.matches, 0, .bool) : nil)
    else {
      throw error(
        "strings have no .\(member)", at: place,
        advice: "They have length, matches, contains, beginsWith, endsWith, replace, toLowerCase and toUpperCase.")
    }
    try expect(.open)
    if instruction == .matches {
      let pattern = try pattern()
      code.patternSteps += pattern.steps.count
      if code.patternSteps > Limits.patternStepsOfRules {
        throw error(
          "the patterns of the rules have more than \(Limits.patternStepsOfRules) steps, repeats written out",
          at: place,
          advice: "Ask for lengths apart: .length < 100.")
      }
      code.patterns.append(pattern)
      emit(.matches, code.patterns.count - 1)
    } else {
      for number in 0..<count {
        if number > 0 { try expect(.comma) }
        let argumentPlace = start
        try require(.text, .value(try value()), at: argumentPlace, "what \(member)() takes")
      }
      emit(instruction)
    }
    try expect(.close)
    return result
  }
}
