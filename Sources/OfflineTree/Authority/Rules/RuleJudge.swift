/// Walks down the paths of one change's operations and asks the rules on the way.
///
/// Operations are sorted by kind and path, so the way to the next path shares a beginning with the way to the last one:
/// what was asked there is not asked again.
struct RuleJudge: ~Copyable {
  /// One key on the way, and what is known there.
  struct Level {
    /// Where the key ends in the path's bytes.
    let end: Int32
    /// The rules' location, or -1.
    let node: Int32
    /// The puts at and below it, once they are known; `low` may be known earlier.
    var low: Int32 = -1
    var high: Int32 = -1
    var isValidated = false
    /// Sets of rules, by their numbers: those that were asked, those that said yes, and those that are given here or
    /// above.
    var asked: UInt8 = 0
    var granted: UInt8 = 0
    var given: UInt8
  }

  let program: RuleProgram
  let operations: [Operation]
  let actor: Actor?
  let now: Int64
  /// Where the puts are among the operations.
  let puts: Range<Int>
  private(set) var levels: [Level] = []
  /// The path that was gone down last.
  private(set) var path = PathKey.root
  var stack: [RuleValue] = []
  /// Steps that judging may still cost.
  var budget = Limits.ruleSteps
  private var hasFullBudget = false
  private(set) var isExhausted = false

  init(_ program: RuleProgram, _ operations: [Operation], _ actor: Actor?, now: Int64) {
    self.program = program
    self.operations = operations
    self.actor = actor
    self.now = now
    puts = RuleJudge.place(of: 0x21, in: operations)..<RuleJudge.place(of: 0x22, in: operations)
    levels.reserveCapacity(8)
    stack.reserveCapacity(8)
    levels.append(level(end: 0, node: 0, above: 0))
    (levels[0].low, levels[0].high) = (Int32(puts.lowerBound), Int32(puts.upperBound))
  }

  /// The first operation of that kind or a later one.
  private static func place(of kind: UInt8, in operations: [Operation]) -> Int {
    var (low, high) = (0, operations.count)
    while low < high {
      let middle = (low + high) / 2
      if operations[middle].kind < kind { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: The way

  /// The rules' location of the path, or -1.
  var node: Int { Int(levels[levels.count - 1].node) }

  private func level(end: Int, node: Int, above: UInt8, put: Int? = nil) -> Level {
    var given = above
    if node >= 0 {
      if program.nodes[node].vote >= 0 { given |= 1 << RuleName.vote.rawValue }
      if program.nodes[node].increment >= 0 { given |= 1 << RuleName.increment.rawValue }
    }
    return Level(end: Int32(end), node: Int32(node), low: put.map { Int32($0) } ?? -1, given: given)
  }

  /// Goes to a path. `put` is its place among the operations, if it is a put: none before it is below the new levels.
  mutating func descend(to next: PathKey, put: Int?) {
    let shared = UTF8Text.commonPrefix(path.bytes.span, next.bytes.span)
    while levels.count > 1, levels[levels.count - 1].end > Int32(shared) { levels.removeLast() }
    path = next
    var start = Int(levels[levels.count - 1].end)
    while start < next.bytes.count {
      let above = levels[levels.count - 1]
      let end = next.componentEnd(from: start)
      let component = next.bytes.span.extracting(start..<end)
      let node =
        if above.node < 0 {
          -1
        } else if component[0] == FileName.root.bytes[0] {
          program.files
        } else {
          program.child(of: Int(above.node), component: component)
        }
      levels.append(level(end: end, node: node, above: above.given, put: put))
      start = end
    }
  }

  // MARK: The rules on the way

  /// Is a rule of that name true on the way?
  mutating func allows(_ rule: RuleName, at index: Int) -> Bool {
    let bit: UInt8 = 1 << rule.rawValue
    for place in levels.indices {
      if levels[place].granted & bit != 0 { return true }
      guard levels[place].asked & bit == 0, levels[place].node >= 0 else { continue }
      levels[place].asked |= bit
      let expression = program.nodes[Int(levels[place].node)].expression(rule)
      guard expression >= 0 else { continue }
      if evaluate(expression, at: place, of: index) {
        levels[place].granted |= bit
        return true
      }
      if isExhausted { return false }
    }
    return false
  }

  /// The level whose `.validate` is false, or nil.
  private mutating func invalidLevel(_ index: Int) -> Int? {
    for place in levels.indices where !levels[place].isValidated {
      levels[place].isValidated = true
      guard levels[place].node >= 0 else { continue }
      let expression = program.nodes[Int(levels[place].node)].expression(.validate)
      if expression >= 0, !evaluate(expression, at: place, of: index) { return place }
    }
    return nil
  }

  // MARK: The verdict

  mutating func refusal(_ declarations: Declarations) -> RuleRefusal? {
    for index in operations.indices {
      let operation = operations[index]
      descend(to: operation.path, put: puts.contains(index) ? index : nil)
      let refusal: RuleRefusal?
      switch operation {
      case .put: refusal = refusalOfPut(index)
      // A file is judged as below `@files`, by who writes it and its name alone.
      case .clear, .priority, .file: refusal = allows(.write, at: index) ? nil : cascadeRefusal(.write, .write)
      case .vote(_, let voter, _): refusal = refusalOfVote(index, by: voter)
      case .increment: refusal = refusalOfIncrement(index, declarations)
      }
      if refusal != nil { return refusal }
    }
    return nil
  }

  private mutating func refusalOfPut(_ index: Int) -> RuleRefusal? {
    guard allows(.write, at: index) else { return cascadeRefusal(.write, .write) }
    return invalidLevel(index).map { refusal(.validate, .validate, level: $0) }
  }

  private mutating func refusalOfVote(_ index: Int, by voter: Key) -> RuleRefusal? {
    guard let actor, voter == actor.uid else { return RuleRefusal(kind: .voter, path: path, location: nil, place: nil) }
    let rule: RuleName = isGiven(.vote) ? .vote : .write
    return allows(rule, at: index) ? nil : cascadeRefusal(.vote, rule)
  }

  private mutating func refusalOfIncrement(_ index: Int, _ declarations: Declarations) -> RuleRefusal? {
    if isGiven(.increment) { return allows(.increment, at: index) ? nil : cascadeRefusal(.increment, .increment) }
    guard !declarations.isInElement(path), allows(.write, at: index) else { return cascadeRefusal(.increment, .write) }
    return nil
  }

  private func isGiven(_ rule: RuleName) -> Bool { levels[levels.count - 1].given >> rule.rawValue & 1 == 1 }

  /// What no rule of that name on the way allows.
  private func cascadeRefusal(_ kind: RuleRefusal.Kind, _ rule: RuleName) -> RuleRefusal {
    let last = levels.lastIndex { $0.node >= 0 && program.nodes[Int($0.node)].expression(rule) >= 0 }
    return refusal(kind, rule, level: last)
  }

  private func refusal(_ kind: RuleRefusal.Kind, _ rule: RuleName, level: Int?) -> RuleRefusal {
    let kind = isExhausted ? .cost : kind
    guard let level else { return RuleRefusal(kind: kind, path: path, location: nil, place: nil) }
    let node = Int(levels[level].node)
    let location = program.locations[node]
    return RuleRefusal(
      kind: kind, path: path, location: (location == "/" ? "" : location) + "/" + rule.text,
      place: program.code.expressions[program.nodes[node].expression(rule)].place)
  }

  // MARK: What judging costs

  /// False once the change has cost what it may.
  @inline(__always)
  mutating func spend(_ steps: Int) -> Bool {
    budget -= steps
    return budget >= 0 || isAffordable()
  }

  @inline(never)
  mutating func isAffordable() -> Bool {
    addBudgetOfSize()
    if budget < 0 { isExhausted = true }
    return !isExhausted
  }

  /// Adds the part of the budget that depends on the change's size: only when it is needed, most changes need not be
  /// measured.
  mutating func addBudgetOfSize() {
    guard !hasFullBudget else { return }
    hasFullBudget = true
    var bytes = 0
    for operation in operations {
      bytes += operation.path.bytes.count
      if case .put(_, .string(let text)) = operation { bytes += text.utf8.count }
    }
    budget += bytes * Limits.ruleStepsPerByte
  }

  mutating func know(_ range: Range<Int>, below place: Int) {
    (levels[place].low, levels[place].high) = (Int32(range.lowerBound), Int32(range.upperBound))
  }
}
