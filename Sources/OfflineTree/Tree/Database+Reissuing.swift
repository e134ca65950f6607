/// Doing again what was made void: changes of this device that an end, or another judgement, has taken the effect of.
extension Database {
  /// Changes of this device, in any of its logs, that count for nothing by what the space has decided, and that were not
  /// dealt with; in the order in which they were made.
  ///
  /// Those that are void by form are void for ever, and not listed. Blocks for as long as it reads.
  /// - Parameter user: Who is logged in: what others made is listed without what it was.
  /// - Complexity: O(void changes of this device), and O(rows below the paths that they cleared or put at).
  public func reissuable(as user: Key? = nil, limit: Int = .max) throws(TreeError) -> [ReissuableChange] {
    try view { rows, replica in
      let marks = try ReissueMark.all(rows)
      return try replica.ownVoids(marks, limit: limit, rows).map { void in
        let isSomebodyElses = void.change.author != nil && void.change.author != user
        return ReissuableChange(
          id: void.id, wallTime: void.change.wallTime, author: void.change.author, reason: void.reason,
          isSomebodyElses: isSomebodyElses,
          steps: isSomebodyElses ? [] : try ReissuePlan(void, replica, marks, rows).steps)
      }
    }
  }

  /// Does changes of this device again that were made void: each by one new change of now, in the order in which they
  /// were made, by the ordinary way, so that rules and add-only sets judge it anew.
  ///
  /// What is so already is not done again, and increments never: a copy of this home could do them, too. That a change
  /// was dealt with is noted in the same commit, so that nothing is done twice, whenever this ends.
  /// - Parameters:
  ///   - user: Who is logged in. What was made by somebody else is left.
  ///   - replacesUnseen: Also does what takes away something that the void change had not seen.
  /// - Throws: `notFound`, before anything is done, if an id names no void change of this device; what keeps this device
  ///   from writing at all.
  public func reissue(
    _ ids: [ReissuableChange.ID], as user: Key? = nil, replacesUnseen: Bool = false
  ) throws(TreeError) -> [ReissueResult] {
    try inOrder(ids).map { (id) throws(TreeError) in
      do {
        return try noting { try submit { [self] rows, state in try reissue(id, user, replacesUnseen, rows, &state) } }
      } catch let error as TreeError where error.isRefusal {
        return ReissueResult(id: id, outcome: .refused(error), steps: [])
      } catch let error as TreeError {
        throw error
      } catch {
        throw TreeError(.internal, "a change could not be done again", underlying: "\(error)")
      }
    }
  }

  /// Those that are to be done, each once, oldest first; what was dealt with comes last.
  private func inOrder(_ ids: [ReissuableChange.ID]) throws(TreeError) -> [ReissuableChange.ID] {
    try view { rows, replica in
      var open: [(stamp: Stamp, id: ReissuableChange.ID)] = []
      var done: [ReissuableChange.ID] = []
      for id in Set(ids) {
        if try ReissueMark.exists(id, rows) {
          done.append(id)
        } else if let void = try replica.ownVoid(id, rows) {
          open.append((void.change.stamp, id))
        } else {
          throw TreeError(
            .notFound, "\(id) is no change of this device that can be done again",
            advice: "The list says which there are.")
        }
      }
      return open.sorted { ($0.stamp, $0.id.log) < ($1.stamp, $1.id.log) }.map(\.id) + done
    }
  }

  func reissue(
    _ id: ReissuableChange.ID, _ user: Key?, _ replacesUnseen: Bool, _ rows: borrowing StoreTransaction,
    _ state: inout Replica
  ) throws -> ReissueResult {
    // Judged here, where nothing can come between: another process may have done it meanwhile.
    guard try !ReissueMark.exists(id, rows), let void = try state.ownVoid(id, rows) else {
      return ReissueResult(id: id, outcome: .doneBefore, steps: [])
    }
    if let author = void.change.author, author != user {
      return ReissueResult(id: id, outcome: .somebodyElses, steps: [])
    }
    let plan = try ReissuePlan(void, state, try ReissueMark.all(rows), rows)
    if plan.replaces, !replacesUnseen { return ReissueResult(id: id, outcome: .wouldReplace, steps: plan.steps) }
    guard plan.hasWork else {
      try ReissueMark(id: id, reissue: nil).store(rows)
      return ReissueResult(id: id, outcome: .nothingToDo, steps: plan.steps)
    }
    try perform(void.change.author, plan.isImport, { try plan.write(to: $0) }, rows, &state)
    guard let log = state.currentLog else { throw TreeError(.internal, "a write left no log") }
    let reissue = state.id(of: Dot(log: log, seq: state.logs[log].count - 1))
    try ReissueMark(id: id, reissue: reissue).store(rows)
    return ReissueResult(id: id, outcome: .reissued(as: reissue), steps: plan.steps)
  }
}

extension TreeError {
  /// Is it about this write alone, so that others may go on?
  fileprivate var isRefusal: Bool {
    switch code {
    case .refused, .limitExceeded, .invalidArgument: missing.isEmpty
    default: false
    }
  }
}
