/// Votes and priorities.
extension ReissuePlan {
  mutating func addVote(
    _ path: PathKey, _ voter: Key, _ choice: Int8, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let action = Step.Action.vote(voter: voter, choice: Int(choice))
    let target = target(of: path)
    let place = ReissuePlace.vote(path, voter: voter)
    let isInElement = replica.declarations.isInElement(path)
    if try isSuperseded([place] + (isInElement ? [] : ReissuePlace.values(over: path)), rows) {
      return append(path, action, .superseded)
    }
    if rewrite(over: path) != nil {
      return append(path, action, choice == 0 ? .stands : .again, at: target, place: place)
    }
    let register = try replica.register(target, rows).register
    let ballots = register.voters > 0 ? try replica.ballots(of: voter, register.counter, rows) : []
    let now = ballots.first?.choice ?? 0
    if now == choice { return append(path, action, .stands, place: place) }
    if try replica.hasUnseen(ballots.map(\.dot), void, rows) {
      return append(path, action, .replaces(.int(Int64(now))), at: target, place: place)
    }
    var isUnseen = false
    if choice != 0, !isInElement { isUnseen = try replica.hasUnseen(above: path, void, rows) }
    let outcome: Step.Outcome = isUnseen ? .replaces(try TreeReader.value(at: path, rows)) : .again
    append(path, action, outcome, at: target, place: place)
  }

  mutating func addPriority(
    _ path: PathKey, _ value: Scalar?, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let action = Step.Action.priority(value)
    if let element = element(of: path) {
      // It comes with the element, or not at all.
      let outcome = works.first { $0.step.path == element.path }?.step.outcome ?? .byHand("its element stands")
      if case .againAt = outcome { return append(path, action, .again, at: target(of: path)) }
      return append(path, action, outcome)
    }
    let place = ReissuePlace.priority(path)
    if try isSuperseded([place] + ReissuePlace.values(over: path), rows) { return append(path, action, .superseded) }
    let items = rewrite(over: path) == nil ? try replica.priorities(path, rows) : []
    let shown = try replica.shownPriority(path, items, rows)
    if !items.isEmpty ? shown?.value == value : value == nil {
      return append(path, action, .stands, place: place)
    }
    guard try willExist(path, rows) else {
      return append(path, action, .byHand("there is nothing now that could have a priority"))
    }
    let isUnseen = try replica.hasUnseen(items.map(\.dot), void, rows)
    append(path, action, isUnseen ? .replaces(shown?.value.map { Value($0) } ?? .null) : .again, place: place)
  }

  private func element(of path: PathKey) -> PathKey? { replica.declarations.element(of: path)?.path }

  /// Where the path is in an element that has got another key.
  private func target(of path: PathKey) -> PathKey {
    guard let element = element(of: path), let binding = moved[element] else { return path }
    return PathKey(trusted: binding.element.bytes + path.bytes[element.bytes.count...])
  }
}
