/// A machine with a stack: its steps are counted, and it calls nothing of the expression's depth.
extension RuleJudge {
  /// The value of an expression at a level of the way to the operation `index`: false, too, where an operand is of a
  /// wrong type, or the change has cost what it may.
  mutating func evaluate(_ expression: Int, at place: Int, of index: Int) -> Bool {
    let expression = program.code.expressions[expression]
    if let constant = expression.constant { return constant }
    stack.removeAll(keepingCapacity: true)
    var next = Int(expression.start)
    while true {
      let instruction = program.code.instructions[next]
      next += 1
      guard spend(RuleCost.instruction) else { return false }
      if instruction.code == .end {
        if case .bool(true)? = stack.last { return true }
        return false
      }
      guard step(instruction, &next, place, index) else { return false }
    }
  }

  private mutating func pop() -> RuleValue { stack.popLast() ?? .null }

  private mutating func push(_ value: RuleValue?) -> Bool {
    guard let value else { return false }
    stack.append(value)
    return true
  }

  private mutating func popText() -> RuleText? {
    if case .text(let text) = pop() { text } else { nil }
  }

  private mutating func popSnapshot() -> RuleSnapshot? {
    if case .snapshot(let snapshot) = pop() { snapshot } else { nil }
  }

  private var topSnapshot: RuleSnapshot? {
    if case .snapshot(let snapshot)? = stack.last { snapshot } else { nil }
  }

  /// One step; false if it ends the expression.
  @inline(__always)
  private mutating func step(
    _ instruction: RuleInstruction, _ next: inout Int, _ place: Int, _ index: Int
  ) -> Bool {
    let first = Int(instruction.first)
    switch instruction.code {
    case .null: return push(.null)
    case .yes: return push(.bool(true))
    case .no: return push(.bool(false))
    case .number: return push(RuleValue(program.code.numbers[first]))
    case .text: return push(.text(RuleText(program.code.texts[first])))
    case .variable: return push(.text(variable(first)))
    case .auth: return push(actor == nil ? .null : .tree)
    case .uid: return push(actor.map { .text(.string($0.uid.text)) } ?? .null)
    case .provider: return push(actor == nil ? .null : .text(RuleText(RuleJudge.provider)))
    case .email: return push(actor.map { .text(.string($0.email)) } ?? .null)
    case .name: return push(actor.map { .text(.string($0.name)) } ?? .null)
    case .emailVerified: return push(actor.map { .bool($0.isEmailVerified) } ?? .null)
    case .now: return push(.int(now))
    case .newData: return push(snapshot(at: place, of: index).map { .snapshot($0) })
    case .child: return push(popChild(first).map { .snapshot($0) })
    case .parent: return push(popSnapshot().flatMap { parent(of: $0) }.map { .snapshot($0) })
    case .val, .exists, .isString, .isNumber, .isBoolean, .hasChildren: return push(ask(instruction.code))
    case .requireChild: return requireChild(instruction, &next)
    case .allChildren: return popSnapshot() != nil && push(.bool(true))
    case .length, .contains, .beginsWith, .endsWith, .lower, .upper, .replace, .matches:
      return push(textResult(instruction.code, first))
    case .add, .subtract, .multiply, .divide, .remainder: return push(arithmetic(instruction.code))
    case .negate: return push(pop().negated)
    case .not:
      guard case .bool(let value) = pop() else { return false }
      return push(.bool(!value))
    case .equal, .unequal, .less, .lessOrEqual, .greater, .greaterOrEqual: return push(comparison(instruction.code))
    case .orElseFalse, .orElseTrue, .boolean, .branch: return jump(instruction, &next)
    case .jump:
      next = Int(instruction.second)
      return true
    case .end: return false
    }
  }

  private static let provider = Array("password".utf8)

  private mutating func jump(_ instruction: RuleInstruction, _ next: inout Int) -> Bool {
    guard case .bool(let value)? = stack.last else { return false }
    switch instruction.code {
    case .boolean: return true
    case .branch:
      stack.removeLast()
      if !value { next = Int(instruction.second) }
    default:
      if value == (instruction.code == .orElseTrue) {
        next = Int(instruction.second)
      } else {
        stack.removeLast()
      }
    }
    return true
  }

  // MARK: Snapshots

  /// The child of the snapshot on the stack, by a literal path or by the text above it.
  private mutating func popChild(_ path: Int) -> RuleSnapshot? {
    if path < 0 {
      guard let text = popText(), let parent = popSnapshot() else { return nil }
      return child(text, of: parent)
    }
    guard let parent = popSnapshot() else { return nil }
    return child(program.code.paths[path], of: parent)
  }

  private mutating func ask(_ code: RuleInstruction.Code) -> RuleValue? {
    guard let snapshot = popSnapshot() else { return nil }
    if code == .exists { return .bool(snapshot.exists) }
    let value = value(of: snapshot)
    switch (code, value) {
    case (.val, _): return value
    case (.isString, .text), (.isNumber, .int), (.isNumber, .double), (.isBoolean, .bool), (.hasChildren, .tree):
      return .bool(true)
    default: return .bool(false)
    }
  }

  private mutating func requireChild(_ instruction: RuleInstruction, _ next: inout Int) -> Bool {
    let text = instruction.first < 0 ? popText() : nil
    guard let parent = topSnapshot else { return false }
    let found: RuleSnapshot?
    if instruction.first < 0 {
      found = text.flatMap { child($0, of: parent) }
    } else {
      found = child(program.code.paths[Int(instruction.first)], of: parent)
    }
    guard let found else { return false }
    if !found.exists {
      stack[stack.count - 1] = .bool(false)
      next = Int(instruction.second)
    }
    return true
  }

  // MARK: Numbers and comparisons

  private mutating func arithmetic(_ code: RuleInstruction.Code) -> RuleValue? {
    let (right, left) = (pop(), pop())
    if code == .add, case .text(let a) = left, case .text(let b) = right { return joined(a, b).map { .text($0) } }
    return RuleValue.arithmetic(code, left, right)
  }

  private mutating func comparison(_ code: RuleInstruction.Code) -> RuleValue? {
    let (right, left) = (pop(), pop())
    if case .text(let a) = left, case .text(let b) = right, !spend(RuleCost.pass(min(a.count, b.count))) { return nil }
    if code == .equal || code == .unequal { return .bool(RuleValue.areEqual(left, right) == (code == .equal)) }
    guard let order = RuleValue.compare(left, right) else { return nil }
    switch code {
    case .less: return .bool(order == .ascending)
    case .lessOrEqual: return .bool(order != .descending)
    case .greater: return .bool(order == .descending)
    default: return .bool(order != .ascending)
    }
  }

  // MARK: Texts

  private mutating func joined(_ left: RuleText, _ right: RuleText) -> RuleText? {
    let count = left.count + right.count
    guard count <= Limits.stringBytes, spend(RuleCost.copy(count)) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    left.append(to: &bytes)
    right.append(to: &bytes)
    return RuleText(bytes)
  }

  private mutating func textResult(_ code: RuleInstruction.Code, _ pattern: Int) -> RuleValue? {
    switch code {
    case .length, .lower, .upper:
      guard let text = popText() else { return nil }
      guard spend(code == .length ? RuleCost.pass(text.count) : RuleCost.copy(text.count)) else { return nil }
      return code == .length ? .int(Int64(text.length)) : .text(text.cased(isUpper: code == .upper))
    case .matches: return popText().flatMap { matches($0, program.code.patterns[pattern]) }.map { .bool($0) }
    case .replace: return replaced().map { .text($0) }
    default:
      guard let other = popText(), let text = popText() else { return nil }
      if code != .contains {
        guard spend(RuleCost.pass(other.count)) else { return nil }
        return .bool(code == .beginsWith ? text.starts(with: other) : text.ends(with: other))
      }
      guard spend(RuleCost.search(text.count + other.count)) else { return nil }
      return .bool(other.count == 0 || !text.places(of: other, limit: 1).isEmpty)
    }
  }

  private mutating func matches(_ text: RuleText, _ pattern: RulePattern) -> Bool? {
    addBudgetOfSize()
    let result = text.withSpan { pattern.matches($0, &budget) }
    return result == nil && !isAffordable() ? nil : result
  }

  /// Every place of the first operand replaced by the second.
  private mutating func replaced() -> RuleText? {
    guard let new = popText(), let old = popText(), let text = popText(), old.count > 0,
      spend(RuleCost.search(text.count + old.count))
    else { return nil }
    let places = text.places(of: old)
    let count = text.count + places.count * (new.count - old.count)
    guard count <= Limits.stringBytes, spend(RuleCost.copy(count) + places.count * RuleCost.replacement) else {
      return nil
    }
    var (source, insert, bytes) = ([UInt8](), [UInt8](), [UInt8]())
    text.append(to: &source)
    new.append(to: &insert)
    bytes.reserveCapacity(count)
    var done = 0
    for place in places {
      bytes += source[done..<place]
      bytes += insert
      done = place + old.count
    }
    return RuleText(bytes + source[done...])
  }
}
