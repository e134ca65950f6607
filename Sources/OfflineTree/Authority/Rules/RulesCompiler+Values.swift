extension RulesCompiler {
  /// Reads the value of a rule and returns the number of its expression.
  mutating func expression(
    _ rule: RuleName, at location: String, _ variables: [String?]
  ) throws(TreeError) -> Int32 {
    switch try next() {
    case .bool(let value):
      let place = text.place(at: start)
      code.expressions.append(RuleExpression(start: 0, constant: value, place: place))
    case .string:
      let expression = RuleExpressionText(document: text, bytes: bytes, start: start + 1)
      try compile(expression, rule, at: location, variables)
    default:
      throw error("\(rule.text) is neither an expression nor true nor false", advice: "Write it as a string.")
    }
    return Int32(code.expressions.count - 1)
  }

  private mutating func compile(
    _ expression: RuleExpressionText, _ rule: RuleName, at location: String, _ variables: [String?]
  ) throws(TreeError) {
    let first = Int32(code.instructions.count)
    var parser = RuleParser(expression, rule: rule, variables: variables)
    // Lent, not copied: documents have thousands of expressions.
    swap(&code, &parser.code)
    let kinds = try parser.expression()
    swap(&code, &parser.code)
    guard kinds.contains(.bool) else {
      throw expression.error("the expression is \(kinds.words), not a boolean", at: 0)
    }
    let place = text.place(at: expression.start)
    code.expressions.append(RuleExpression(start: first, constant: nil, place: place))
    guard rule != .read, let email = parser.emailStart, !parser.namesWho else { return }
    warnings.append(
      RuleWarning(
        location: (location == "/" ? "" : location) + "/" + rule.text,
        place: text.place(at: expression.documentOffset(of: email)),
        message: "rests on an email: emails are self-asserted, anybody can sign up with any; "
          + "ask for auth.token.email_verified or auth.uid as well"))
  }

  /// Reads the value of `.indexOn`: a child's path, or ".value", or several in an array.
  mutating func indexOn() throws(TreeError) -> [String] {
    let event = try next()
    if event == .string { return [try index()] }
    guard event == .beginArray else {
      throw error(".indexOn is neither a string nor an array of strings", advice: "Name the children to order by.")
    }
    var names: [String] = []
    while true {
      switch try next() {
      case .string: names.append(try index())
      case .endArray: return names
      default: throw error(".indexOn holds something that is no string")
      }
    }
  }

  private func index() throws(TreeError) -> String {
    let name = String(decoding: bytes, as: UTF8.self)
    if name.utf8.elementsEqual(".value".utf8) { return name }
    do throws(TreeError) {
      if try Path(name).isRoot { throw TreeError(.invalidArgument, "an index has no name") }
    } catch {
      throw text.error(error.context, at: start, advice: "Name a child, or \".value\".", error.code)
    }
    return name
  }
}
