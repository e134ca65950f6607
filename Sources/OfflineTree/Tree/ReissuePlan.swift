/// What doing a void change again does now, worked out from what is there, each step on what those before it would leave.
///
/// Operations that belong together are one step: a clear with the puts below it, and what was put in one element.
struct ReissuePlan {
  typealias Step = ReissuableChange.Step

  /// A step with the paths as they are to be written.
  struct Work {
    let step: Step
    let target: PathKey
    let binding: ElementBinding?
    /// Where it writes, if a later write there takes its room.
    let place: ReissuePlace?
  }

  let void: Replica.OwnVoid
  let isImport: Bool
  let replica: Replica
  private(set) var works: [Work] = []
  /// Elements that need another key, and that one.
  var moved: [PathKey: ElementBinding] = [:]
  /// What steps so far write anew, in place of all that is at and below the path.
  var rewritten: [PathKey: Group] = [:]

  var steps: [Step] { works.map(\.step) }

  /// - Parameter stopsAtWork: Goes no further than the first step that can be done: only whether there is one is asked.
  init(
    _ void: Replica.OwnVoid, _ replica: Replica, stopsAtWork: Bool = false, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    self.void = void
    self.replica = replica
    isImport = void.change.isImport && replica.authority.rank(of: replica.device) >= .owner
    if void.change.controls.isEmpty { try addOperations(stopsAtWork, rows) } else { addActs() }
    if void.isPartlyDone { works.removeAll { !$0.step.outcome.isByHand } }
  }

  private mutating func addOperations(
    _ stopsAtWork: Bool, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    for group in groups {
      try add(group, rows)
      if stopsAtWork, hasWork { return }
    }
    for operation in void.change.operations {
      let path = operation.path
      if !operation.isOfFile, replica.declarations.isFlagged(path) { continue }
      switch operation {
      case .clear, .put: continue
      case .increment(_, let number):
        let how = "increment it by hand, if nobody else has: a copy of this home could do it again, too"
        append(path, .increment(by: number), .byHand(how))
      case .vote(_, let voter, let choice): try addVote(path, voter, choice, rows)
      case .priority(_, let value): try addPriority(path, value, rows)
      case .file(let name, let content):
        let how = content == nil ? "delete the file again" : "store the file again"
        append(path, .file(name.text, isRemoved: content == nil), .byHand("\(how), if that is still wanted"))
      }
      if stopsAtWork, hasWork { return }
    }
  }

  mutating func append(
    _ path: PathKey, _ action: Step.Action, _ outcome: Step.Outcome, at target: PathKey? = nil,
    _ binding: ElementBinding? = nil, place: ReissuePlace? = nil
  ) {
    let step = Step(path: path.path, action: action, outcome: outcome)
    works.append(Work(step: step, target: target ?? path, binding: binding, place: place))
  }

  /// What a change does to the tree beside an act rests on the act.
  private mutating func addActs() {
    append(.root, .act, .byHand("do it again by its own command, if it is still wanted"))
    for group in groups {
      let action: Step.Action = group.isElement ? .add(group.value) : .set(group.value)
      append(group.path, action, .byHand("it is part of what comes with that"))
    }
  }

  /// Was a later change of this device dealt with that wrote at one of the places?
  func isSuperseded(_ places: [ReissuePlace], _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    for place in places {
      if let newest = try place.newest(rows), newest > void.change.stamp { return true }
    }
    return false
  }

  /// The step so far that writes anew what is at the path.
  func rewrite(over path: PathKey) -> Group? {
    rewritten[path] ?? path.ancestors.lazy.compactMap { rewritten[$0] }.first
  }

  /// Is there anything at the path once the steps so far are done?
  func willExist(_ path: PathKey, _ rows: borrowing StoreTransaction) throws(TreeError) -> Bool {
    for group in rewritten.values where group.puts.contains(where: { path.isPrefix(of: $0.0) }) { return true }
    return rewrite(over: path) == nil ? try TreeReader.exists(path, rows) : false
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
      case .increment, .file, .act: preconditionFailure("what is done by hand is not written")
      }
    }
  }

  /// Notes that the change was dealt with, and where it wrote.
  /// - Parameter reissue: The change that did it again; then what is left for a person stays on the list.
  func note(reissue: Bytes32?, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let isPartly = reissue != nil && steps.contains { $0.outcome.isByHand }
    try (isPartly ? ReissueMark.partly : .dealtWith).store(void.position, reissue: reissue, rows)
    for work in works where work.step.outcome == .stands || work.step.outcome.isDone {
      try work.place?.note(void.change.stamp, rows)
    }
  }
}

extension ReissuableChange.Step.Outcome {
  var isDone: Bool {
    switch self {
    case .again, .againAt, .replaces: true
    case .stands, .superseded, .byHand: false
    }
  }

  var isByHand: Bool { if case .byHand = self { true } else { false } }
}
