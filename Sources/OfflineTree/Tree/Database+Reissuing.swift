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
      try replica.ownVoids(limit: limit, rows).map { void in
        let isSomebodyElses = void.isSomebodyElses(than: user)
        return ReissuableChange(
          id: replica.id(of: void.dot), position: void.position, wallTime: void.change.wallTime,
          author: void.change.author, reason: void.reason, isSomebodyElses: isSomebodyElses,
          steps: isSomebodyElses ? [] : try ReissuePlan(void, replica, rows).steps)
      }
    }
  }

  /// How many there are among the first `limit`, without what they would do.
  package func reissuableCount(as user: Key?, limit: Int) throws(TreeError) -> ReissuableCount {
    try view { rows, replica in
      var count = ReissuableCount()
      let voids = try replica.ownVoids(limit: limit + 1, rows)
      count.isMore = voids.count > limit
      for void in voids.prefix(limit) {
        if void.isSomebodyElses(than: user) {
          count.others += 1
        } else if try ReissuePlan(void, replica, stopsAtWork: true, rows).hasWork {
          count.own += 1
        }
      }
      return count
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
  /// - Returns: What became of each. If something keeps this device from going on, the last says so (`failed`).
  /// - Throws: `notFound`, before anything is done, if an id names no void change of this device, `invalidArgument` if
  ///   it names several; what keeps this device from writing at all, if it does so at the first change.
  public func reissue(
    _ ids: [ReissuableChange.ID], as user: Key? = nil, replacesUnseen: Bool = false
  ) throws(TreeError) -> [ReissueResult] {
    try ReissueResult.inTurn(try inOrder(ids)) { (named) throws(TreeError) in
      do {
        return try noting {
          try submit { [self] rows, state in try reissue(named, user, replacesUnseen, rows, &state) }
        }
      } catch let error as TreeError {
        throw error
      } catch {
        throw TreeError(.internal, "a change could not be done again", underlying: "\(error)")
      }
    }
  }

  /// Those that are to be done, each once, oldest first; what was dealt with comes last.
  private func inOrder(_ ids: [ReissuableChange.ID]) throws(TreeError) -> [Replica.NamedVoid] {
    try view { rows, replica in
      var open: [(stamp: Stamp, void: Replica.NamedVoid)] = []
      var done: [Replica.NamedVoid] = []
      var found: Set<Bytes32> = []
      for id in ids {
        guard let position = try replica.ownVoid(named: id, rows) else { throw Replica.notReissuable(id) }
        let named = Replica.NamedVoid(id: id, position: position)
        guard found.insert(position.hash).inserted else { continue }
        if try ReissueMark.of(position.hash, rows) == .dealtWith {
          done.append(named)
        } else if let void = try replica.ownVoid(at: position, rows) {
          open.append((void.change.stamp, named))
        } else {
          throw Replica.notReissuable(id)
        }
      }
      return open.sorted { ($0.stamp, $0.void.position) < ($1.stamp, $1.void.position) }.map(\.void) + done
    }
  }

  func reissue(
    _ named: Replica.NamedVoid, _ user: Key?, _ replacesUnseen: Bool, _ rows: borrowing StoreTransaction,
    _ state: inout Replica
  ) throws -> ReissueResult {
    // Judged here, where nothing can come between: another process may have done it meanwhile.
    guard let void = try state.ownVoid(at: named.position, rows) else {
      return ReissueResult(id: named.id, outcome: .doneBefore, steps: [])
    }
    if void.isSomebodyElses(than: user) {
      return ReissueResult(id: named.id, outcome: .somebodyElses, steps: [])
    }
    let plan = try ReissuePlan(void, state, rows)
    if plan.replaces, !replacesUnseen {
      return ReissueResult(id: named.id, outcome: .wouldReplace, steps: plan.steps)
    }
    let before = state.lastOwn
    if plan.hasWork {
      try perform(void.change.author, plan.isImport, { try plan.write(to: $0) }, rows, &state)
    }
    // What changes nothing writes nothing, and then what was last is not of this.
    guard let reissue = state.lastOwn, reissue != before else {
      try plan.note(reissue: nil, rows)
      return ReissueResult(id: named.id, outcome: .nothingToDo, steps: plan.steps)
    }
    try plan.note(reissue: state.logs[reissue.log].head, rows)
    return ReissueResult(id: named.id, outcome: .reissued(as: state.id(of: reissue)), steps: plan.steps)
  }
}

extension Replica {
  /// A void change as it was asked for.
  struct NamedVoid: Sendable {
    let id: ReissuableChange.ID
    let position: LogPosition
  }

  /// The last change that this device wrote.
  fileprivate var lastOwn: Dot? {
    guard let currentLog, !logs[currentLog].isEmpty else { return nil }
    return Dot(log: currentLog, seq: logs[currentLog].count - 1)
  }

  fileprivate static func notReissuable(_ id: ReissuableChange.ID) -> TreeError {
    TreeError(
      .notFound, "\(id) is no change of this device that can be done again", advice: "The list says which there are.")
  }
}

extension Replica.OwnVoid {
  fileprivate func isSomebodyElses(than user: Key?) -> Bool { change.author != nil && change.author != user }
}

extension ReissueResult {
  /// One after the other: what is refused is left, and what else fails ends it, with what was done until then.
  static func inTurn(
    _ changes: [Replica.NamedVoid], _ reissue: (Replica.NamedVoid) throws(TreeError) -> ReissueResult
  ) throws(TreeError) -> [ReissueResult] {
    var results: [ReissueResult] = []
    for change in changes {
      do throws(TreeError) {
        results.append(try reissue(change))
      } catch {
        if error.isRefusal {
          results.append(ReissueResult(id: change.id, outcome: .refused(error), steps: []))
        } else if results.isEmpty {
          throw error
        } else {
          return results + [ReissueResult(id: change.id, outcome: .failed(error), steps: [])]
        }
      }
    }
    return results
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
