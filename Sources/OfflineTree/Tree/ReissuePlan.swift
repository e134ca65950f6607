/// What doing a void change again does now, worked out from what is there.
///
/// Operations that belong together are one step: a clear with the puts below it, and what was put in one element.
struct ReissuePlan {
  typealias Step = ReissuableChange.Step

  /// A step with the paths as they are to be written.
  struct Work {
    let step: Step
    let target: PathKey
    let binding: ElementBinding?
  }

  let void: Replica.OwnVoid
  let isImport: Bool
  private(set) var works: [Work] = []
  /// Elements that need another key, and that one.
  private var moved: [PathKey: ElementBinding] = [:]
  private let replica: Replica
  private let sees: (Dot) -> Bool

  var steps: [Step] { works.map(\.step) }

  init(
    _ void: Replica.OwnVoid, _ replica: Replica, _ marks: [ReissueMark], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    self.void = void
    self.replica = replica
    sees = replica.sight(of: void, marks)
    isImport = void.change.isImport && replica.authority.rank(of: replica.device) >= .owner
    if !void.change.controls.isEmpty {
      addActs()
      return
    }
    for group in groups { try add(group, rows) }
    for operation in void.change.operations {
      let path = operation.path
      if replica.declarations.isFlagged(path) { continue }
      switch operation {
      case .clear, .put: continue
      case .increment(_, let number):
        let how = "increment it by hand, if nobody else has: a copy of this home could do it again, too"
        append(path, .increment(by: number), .byHand(how))
      case .vote(_, let voter, let choice): try addVote(path, voter, choice, rows)
      case .priority(_, let value): try addPriority(path, value, rows)
      }
    }
  }

  private mutating func append(
    _ path: PathKey, _ action: Step.Action, _ outcome: Step.Outcome, at target: PathKey? = nil,
    _ binding: ElementBinding? = nil
  ) {
    let step = Step(path: path.path, action: action, outcome: outcome)
    works.append(Work(step: step, target: target ?? path, binding: binding))
  }

  /// What a change does to the tree beside an act rests on the act.
  private mutating func addActs() {
    append(.root, .act, .byHand("do it again by its own command, if it is still wanted"))
    for group in groups {
      let action: Step.Action = group.isElement ? .add(group.value) : .set(group.value)
      append(group.path, action, .byHand("it is part of what comes with that"))
    }
  }

  // MARK: Values

  private struct Group {
    let path: PathKey
    let isElement: Bool
    var puts: [(PathKey, Scalar)] = []

    var value: Value {
      var builder = ValueBuilder(below: path)
      for (path, scalar) in puts { unsafe builder.add(path.bytes.span.bytes, Value(scalar)) }
      return builder.value
    }
  }

  /// By path: puts are sorted, and none is below another.
  private var groups: [Group] {
    var groups: [PathKey: Group] = [:]
    var clears: Set<PathKey> = []
    for case .clear(let path) in void.change.operations {
      // A value that is put in an element brings a clear, which does nothing there.
      if replica.declarations.isFlagged(path) || replica.declarations.isInElement(path) { continue }
      clears.insert(path)
      groups[path] = Group(path: path, isElement: false)
    }
    for case .put(let path, let scalar) in void.change.operations where !replica.declarations.isFlagged(path) {
      let element = replica.declarations.element(of: path)?.path
      let root = element ?? path.ancestors.first { clears.contains($0) } ?? path
      groups[root, default: Group(path: root, isElement: element != nil)].puts.append((path, scalar))
    }
    return groups.values.sorted { $0.path < $1.path }
  }

  private mutating func add(_ group: Group, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let value = group.value
    let now = try TreeReader.value(at: group.path, rows)
    if group.isElement { return addElement(group.path, value, now: now) }
    if now == value { return append(group.path, .set(value), .stands) }
    let isUnseen = try replica.hasUnseen(at: group.path, sees, rows)
    append(group.path, .set(value), isUnseen ? .replaces(now) : .again)
  }

  private mutating func addElement(_ element: PathKey, _ value: Value, now: Value) {
    if now.contains(value) { return append(element, .add(value), .stands) }
    if !now.isNull {
      return append(element, .add(value), .byHand("something else stands there, and nothing in the set can be changed"))
    }
    guard replica.declarations.element(of: element)?.keys == .own, !isImport else {
      return append(element, .add(value), .again)
    }
    if let own = void.change.binding(of: element), own.binds(to: replica.device, space: replica.space) {
      return append(element, .add(value), .again, at: element, own)
    }
    guard let binding = otherBinding(for: element) else {
      return append(element, .add(value), .byHand("this device cannot make a key for it"))
    }
    moved[element] = binding
    append(element, .add(value), .againAt(binding.element.path), at: binding.element, binding)
  }

  /// A key that follows from the change and the element, so that copies of this home that do the same make the same.
  private func otherBinding(for element: PathKey) -> ElementBinding? {
    guard let set = element.parent, let old = element.lastKey else { return nil }
    let time = PushID.milliseconds(of: old) ?? void.change.wallTime
    let nonce = RowKey.number(
      Sodium.hash32(void.id.log.bytes + RowKey.commit(void.id.seq) + element.bytes).bytes.prefix(8))
    let key = ElementBinding.key(space: replica.space, device: replica.device, milliseconds: time, nonce: nonce)
    return (try? set.child(key)).map { ElementBinding(element: $0, nonce: nonce) }
  }

  // MARK: Votes and priorities

  private mutating func addVote(
    _ path: PathKey, _ voter: Key, _ choice: Int8, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let action = Step.Action.vote(voter: voter, choice: Int(choice))
    if let binding = element(of: path).flatMap({ moved[$0] }) {
      return append(path, action, .again, at: target(of: path, binding))
    }
    let register = try replica.register(path, rows).register
    let ballots = register.voters > 0 ? try replica.ballots(of: voter, register.counter, rows) : []
    let now = ballots.first?.choice ?? 0
    if now == choice { return append(path, action, .stands) }
    if ballots.contains(where: { !sees($0.dot) }) {
      return append(path, action, .replaces(.int(Int64(now))))
    }
    let isInElement = replica.declarations.isInElement(path)
    var isUnseen = false
    if choice != 0, !isInElement { isUnseen = try replica.hasUnseen(above: path, sees, rows) }
    append(path, action, isUnseen ? .replaces(try TreeReader.value(at: path, rows)) : .again)
  }

  private mutating func addPriority(
    _ path: PathKey, _ value: Scalar?, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if let element = element(of: path) {
      // It comes with the element, or not at all.
      let outcome = works.first { $0.step.path == element.path }?.step.outcome ?? .byHand("its element stands")
      if case .againAt = outcome, let binding = moved[element] {
        return append(path, .priority(value), .again, at: target(of: path, binding))
      }
      return append(path, .priority(value), outcome)
    }
    let items = try replica.priorities(path, rows)
    let shown = try replica.shownPriority(path, items, rows)
    if !items.isEmpty ? shown?.value == value : value == nil { return append(path, .priority(value), .stands) }
    let isUnseen = items.contains { !sees($0.dot) }
    append(path, .priority(value), isUnseen ? .replaces(shown?.value.map { Value($0) } ?? .null) : .again)
  }

  private func element(of path: PathKey) -> PathKey? { replica.declarations.element(of: path)?.path }

  private func target(of path: PathKey, _ binding: ElementBinding) -> PathKey {
    guard let element = element(of: path) else { return path }
    return PathKey(trusted: binding.element.bytes + path.bytes[element.bytes.count...])
  }

  // MARK: Doing it

  /// Would it take away what the void change had not seen?
  var replaces: Bool {
    steps.contains { if case .replaces = $0.outcome { true } else { false } }
  }

  var hasWork: Bool { works.contains { $0.step.outcome.isDone } }

  func write(to transaction: WriteTransaction) throws {
    for work in works where work.step.outcome.isDone {
      switch work.step.action {
      case .set(let value), .add(let value):
        if let binding = work.binding { transaction.bind(binding) }
        try transaction.setValue(NewValue(value), at: work.target.path)
      case .vote(let voter, let choice):
        try transaction.vote(work.target.path, voter: voter, choice: choice)
      case .priority(let value): try transaction.setPriority(value, at: work.target.path)
      case .increment, .act: preconditionFailure("what is done by hand is not written")
      }
    }
  }
}

extension ReissuableChange.Step.Outcome {
  fileprivate var isDone: Bool {
    switch self {
    case .again, .againAt, .replaces: true
    case .stands, .byHand: false
    }
  }
}

extension Value {
  /// Is all of `other` in this value? Counts, which others have changed meanwhile, need not be the same.
  fileprivate func contains(_ other: Value) -> Bool {
    switch (self, other) {
    case (.object(let mine), .object(let theirs)):
      theirs.members.allSatisfy { (mine[$0.key] ?? .null).contains($0.value) }
    case (.null, _), (_, .null): self == other
    default: self == other || scalar?.isNumber == true && other.scalar?.isNumber == true
    }
  }
}
