/// Compiles one expression, in one pass: each part puts its instructions where it is read.
///
/// Not copyable: a copy, even for a moment, would have all instructions copied at the next one.
struct RuleParser: ~Copyable {
  private let text: RuleExpressionText
  let rule: RuleName
  /// For each level of the location, the name of its `$variable`.
  let variables: [String?]
  /// Where the instructions go.
  var code = RuleCode()
  private var lexer: RuleLexer
  /// The token at the cursor, and where it begins.
  var token = RuleToken.end
  private(set) var start = 0
  private var nesting = 0

  /// Where the expression first names the email.
  var emailStart: Int?
  /// Does it ask who it is, or whether somebody vouched?
  var namesWho = false

  init(_ text: RuleExpressionText, rule: RuleName, variables: [String?]) {
    self.text = text
    self.rule = rule
    self.variables = variables
    lexer = RuleLexer(text)
  }

  mutating func expression() throws(TreeError) -> RuleKinds {
    try advance()
    let kinds = try value()
    guard token == .end else { throw error("expected an operator or the end") }
    emit(.end)
    return kinds
  }

  // MARK: Tokens

  mutating func advance() throws(TreeError) {
    token = try lexer.next()
    start = lexer.start
  }

  mutating func take(_ sign: RuleSign) throws(TreeError) -> Bool {
    guard token == .sign(sign) else { return false }
    try advance()
    return true
  }

  mutating func expect(_ sign: RuleSign) throws(TreeError) {
    guard try take(sign) else { throw error("expected \(sign.rawValue)") }
  }

  /// Takes the pattern at the cursor.
  mutating func pattern() throws(TreeError) -> RulePattern {
    guard token == .sign(.slash) else {
      throw error("matches() takes a pattern", advice: "Write it between slashes: matches(/^[a-z]+$/).")
    }
    let pattern = try lexer.pattern(from: start)
    try advance()
    return pattern
  }

  func error(_ problem: String, at offset: Int? = nil, advice: String = "") -> TreeError {
    text.error(problem, at: offset ?? start, advice: advice)
  }

  // MARK: Instructions

  mutating func emit(_ instruction: RuleInstruction.Code, _ first: Int = 0) {
    code.instructions.append(RuleInstruction(code: instruction, first: Int32(first)))
  }

  /// Puts a jump there and returns where, for `land`.
  mutating func emitJump(_ instruction: RuleInstruction.Code, _ first: Int = 0) -> Int {
    emit(instruction, first)
    return code.instructions.count - 1
  }

  /// Lets a jump lead here.
  mutating func land(_ jump: Int) { code.instructions[jump].second = Int32(code.instructions.count) }

  // MARK: Operators

  /// A part that is a value and no snapshot.
  mutating func value() throws(TreeError) -> RuleKinds {
    let place = start
    return try kinds(of: try choice(), at: place)
  }

  func kinds(of type: RuleType, at offset: Int) throws(TreeError) -> RuleKinds {
    guard case .value(let kinds) = type else {
      throw error("newData is no value", at: offset, advice: "Take .val(), or ask .exists().")
    }
    return kinds
  }

  mutating func nested<Result>(
    _ body: (inout RuleParser) throws(TreeError) -> Result
  ) throws(TreeError) -> Result {
    guard nesting < Limits.ruleNesting else {
      throw error("more than \(Limits.ruleNesting) parts inside each other", advice: "Split the expression up.")
    }
    nesting += 1
    let result = try body(&self)
    nesting -= 1
    return result
  }

  /// A whole expression: `condition ? value : value`, or what binds tighter.
  mutating func choice() throws(TreeError) -> RuleType {
    try nested { (parser) throws(TreeError) in
      let place = parser.start
      let type = try parser.binary(from: 0)
      guard try parser.take(.question) else { return type }
      try parser.require(.bool, type, at: place, "the condition of ? :")
      let toElse = parser.emitJump(.branch)
      let first = try parser.value()
      let toEnd = parser.emitJump(.jump)
      try parser.expect(.colon)
      parser.land(toElse)
      let second = try parser.value()
      parser.land(toEnd)
      return .value(first.union(second))
    }
  }

  /// Throws unless the part can be one of `kinds`.
  func require(_ wanted: RuleKinds, _ type: RuleType, at offset: Int, _ what: String) throws(TreeError) {
    let kinds = try kinds(of: type, at: offset)
    guard kinds.isDisjoint(with: wanted) else { return }
    let advice = kinds.contains(.tree) && wanted.contains(.bool) ? "Compare it: auth != null." : ""
    throw error("\(what) is \(kinds.words), not \(wanted.words)", at: offset, advice: advice)
  }
}
