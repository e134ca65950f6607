/// Accounts and log-ins in the eyes of a change.
extension Authority {
  /// A change in the eyes of which something is asked: what it had seen, and itself if it is a record.
  struct Act {
    let dot: Dot
    let device: Bytes32
    let author: Key?
    let context: Context

    init(_ record: Record) {
      (dot, device, author, context) = (record.dot, record.device, record.author, record.context)
    }

    init(dot: Dot, device: Bytes32, author: Key?, context: Context) {
      (self.dot, self.device, self.author, self.context) = (dot, device, author, context)
    }

    /// Somebody who knows everything that is here.
    init(everything: Context) { self.init(dot: Authority.nowhere, device: .zero, author: nil, context: everything) }

    /// Is the record in its past, or the change itself: its own control operations count as its past.
    func sees(_ record: Record) -> Bool { record.dot == dot || context.covers(record.dot.log, record.dot.seq) }
  }

  // MARK: States and log-ins

  /// Does a record about the person stand, as far as the judgement has come?
  func stands(_ index: Int, _ person: Person, _ step: People.Step) -> Bool {
    verdicts[index] == nil && person.verdict(index, step) == nil
  }

  /// The state of an account that has this key in the eyes of a change: of several the lowest (stamp, log id).
  func state(_ key: Bytes32, of person: Person, _ act: Act, _ step: People.Step) -> Account? {
    person.states[key]?.first { act.sees(records[$0.record]) && stands($0.record, person, step) }?.account
  }

  /// Has an end taken the subject away in the eyes of a change?
  ///
  /// - Parameter isRekey: Is it the change of an account? Then of its person's own ends only those count that it had
  ///   seen: of two that did not know of each other neither voids the other.
  func isEnded(
    _ subject: ControlOperation.Subject, of person: Person, _ act: Act, _ step: People.Step, isRekey: Bool = false
  ) -> Bool {
    (step == .past ? person.pastEnds : person.ends)[subject]?.contains { end in
      let record = records[end.record]
      if end.dot == act.dot { return false }
      if act.sees(record) { return true }
      let reachesUnseen = end.level == .above ? step != .past : step == .all && !isRekey
      return reachesUnseen && !record.context.covers(act.dot.log, act.dot.seq)
    } ?? false
  }

  /// Who the author of a change is, by the sessions in its past; or why nobody is.
  func seat(
    of user: Key, _ person: Person, _ act: Act, _ step: People.Step
  ) -> (account: Account?, fault: String?) {
    let sessions = person.sessions(on: act.device, step) ?? SessionTree()
    var best: Account?
    sessions.forEach { block in
      !(best.map { block.isBelow(version: $0.version, key: $0.publicKey) } ?? false) && block.mayCount(act, step)
    } _: { grant in
      guard isGranted(grant.id, person, act, step), let account = state(grant.key, of: person, act, step),
        !isEnded(.session(user: user, grant.id), of: person, act, step),
        !isEnded(.userKey(user: user, grant.key), of: person, act, step)
      else { return true }
      if let found = best, (found.version, account.publicKey) > (account.version, found.publicKey) { return true }
      best = account
      return true
    }
    if let best { return (best, nil) }
    var wasLoggedIn = false
    sessions.forEach {
      $0.isGranted(act)
    } _: { grant in
      wasLoggedIn =
        isGranted(grant.id, person, act, step) && state(grant.key, of: person, act, step) != nil
      return !wasLoggedIn
    }
    return (
      nil, wasLoggedIn ? "its author was logged out, or has another password now" : "its author is not logged in there"
    )
  }

  private func isGranted(_ id: Bytes16, _ person: Person, _ act: Act, _ step: People.Step) -> Bool {
    person.sessions[id]?.records.contains { act.sees(records[$0]) && stands($0, person, step) } ?? false
  }

  // MARK: Owners

  func isOwner(_ act: Act) -> Bool { rank(of: act.device, at: act.dot, act.context, current) >= .owner }

  /// Has an owner vouched for the account's email, in the eyes of a change?
  func isVouched(_ account: Account, _ act: Act) -> Bool {
    people.vouches(for: account.user, account.email).contains { act.sees(records[$0]) }
  }
}

extension ControlOperation {
  /// The state of an account that this puts down.
  package var account: Account? {
    switch self {
    case .account(let new): new.account
    case .rekey(let rekey): rekey.account
    default: nil
    }
  }
}
