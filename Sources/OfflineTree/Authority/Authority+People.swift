/// Judging records about people: accounts, log-ins, and what ends them.
extension Authority {
  // MARK: Keeping up

  /// Judges a record about a person that was just added, and anew whatever of theirs its ends reach.
  mutating func addToPeople(_ index: Int) {
    guard verdicts[index] == nil, let user = records[index].person else { return }
    var standing = people.standing(of: user)
    standing.verdicts[index] = personFault(index, standing)
    let ends = standing.verdicts[index] == nil ? personEnds(of: index, standing) : []
    let record = records[index]
    let reached = (people.records[user] ?? []).contains { other in
      other != index && !record.saw(records[other])
    }
    if !ends.isEmpty, reached {
      standing = judged(user)
    } else {
      standing.ends += ends
    }
    people.adopt(standing, of: user)
  }

  mutating func judgePeople() {
    for user in Array(people.users) { people.adopt(judged(user), of: user) }
  }

  /// Judges all records about a person: first without ends, then with those from above, then with all.
  private func judged(_ user: Key) -> People.Standing {
    var standing = People.Standing()
    for level in [People.Level.above, .person] {
      let judged = verdicts(of: user, under: standing.ends)
      for index in people.records[user] ?? [] where verdicts[index] == nil && judged.verdicts[index] == nil {
        standing.ends += personEnds(of: index, judged).filter { $0.level == level }
      }
    }
    standing.verdicts = verdicts(of: user, under: standing.ends).verdicts
    return standing
  }

  private func verdicts(of user: Key, under ends: [People.End]) -> People.Standing {
    var standing = People.Standing(ends: ends)
    for index in people.records[user] ?? [] where verdicts[index] == nil {
      standing.verdicts[index] = personFault(index, standing)
    }
    return standing
  }

  // MARK: One record

  private func personFault(_ index: Int, _ standing: People.Standing) -> String? {
    let record = records[index]
    guard let user = record.person else { return nil }
    for operation in record.controls {
      if let reason = denial(of: operation, about: user, in: index, standing) { return reason }
    }
    guard let change = record.change else {
      return record.author.flatMap { seat(of: $0, Act(record, index), standing).fault }
    }
    return fault(of: change, Act(record, index), standing)
  }

  private func denial(
    of operation: ControlOperation, about user: Key, in index: Int, _ standing: People.Standing
  ) -> String? {
    let act = Act(records[index], index)
    switch operation {
    case .account:
      return makesTooMany(index) ? "its device has made too many accounts for which no owner vouches" : nil
    case .rekey(let rekey): return fault(of: rekey, act, standing)
    case .session(let session):
      guard state(of: user, session.publicKey, act, standing) != nil else { return "there is no such account" }
      return isEnded(.userKey(user: user, session.publicKey), act, standing)
        ? "its log-in rests on a password that is not the account's any more" : nil
    case .end(.session(_, let id)):
      let known = sessionRecords(of: user).first { act.sees(records[$0]) && sessionID($0) == id }
      guard let known else { return "there is no such session" }
      let isAllowed = records[known].device == act.device || act.author == user || isOwner(act)
      return isAllowed ? nil : "its device may not end the session"
    case .end(.userKey(_, let key)):
      guard state(of: user, key, act, standing) != nil else { return "there is no such account" }
      let isRecovered = records[index].controls.contains { isRecovery($0, act, standing) }
      return act.author == user || isRecovered || isOwner(act) ? nil : "its device may not end the account"
    case .invite, .grant, .end, .rotate, .rules, .vouch, .moderate, .retract, .deviceName, .recovery, .deliver,
      .lockbox:
      return nil
    }
  }

  private func fault(of rekey: Rekey, _ act: Act, _ standing: People.Standing) -> String? {
    let (user, next) = (rekey.account.user, rekey.account)
    guard let before = state(of: user, rekey.previous, act, standing) else { return "there is no such account" }
    if next.version != before.version + 1 { return "it skips a version of the account" }
    if rekey.signer == before.recoveryKey { return nil }
    if rekey.signer != before.publicKey { return "neither the account's key nor its recovery code has signed it" }
    if next.recoveryKey != before.recoveryKey { return "only the recovery code replaces the recovery code" }
    // Of two that did not know of each other neither voids the other; what comes from above does.
    return isEnded(.userKey(user: user, rekey.previous), act, standing, above: true)
      ? "the key that has signed it is not the account's any more" : nil
  }

  /// Accounts that a device has made before, as far as the record knows, and for which no owner has vouched there.
  private func makesTooMany(_ index: Int) -> Bool {
    let record = records[index]
    guard let made = people.made[record.device], made.count > Limits.accountsPerDevice else { return false }
    let act = Act(record, index)
    if isOwner(act) { return false }
    let before = made.filter { other in
      guard other != index, verdicts[other] == nil, record.saw(records[other]), let user = records[other].person else {
        return false
      }
      return !(people.vouches[user] ?? []).contains { verdicts[$0] == nil && record.saw(records[$0]) }
    }
    return before.count >= Limits.accountsPerDevice
  }

  /// What a record about a person ends, if it stands.
  private func personEnds(of index: Int, _ standing: People.Standing) -> [People.End] {
    let record = records[index]
    let act = Act(record, index)
    return record.controls.compactMap { operation in
      var level = People.Level.person
      let subject: ControlOperation.Subject
      switch operation {
      case .end(let ended):
        subject = ended
        if act.author == nil, !isOfDevice(ended, act) { level = .above }
      case .rekey(let rekey):
        subject = .userKey(user: rekey.account.user, rekey.previous)
        if isRecovery(operation, act, standing) { level = .above }
      default: return nil
      }
      return People.End(record: index, dot: record.dot, subject: subject, level: level)
    }
  }

  /// Is it a change of an account that the account's recovery key has signed?
  private func isRecovery(_ operation: ControlOperation, _ act: Act, _ standing: People.Standing) -> Bool {
    guard case .rekey(let rekey) = operation else { return false }
    return rekey.signer == state(of: rekey.account.user, rekey.previous, act, standing)?.recoveryKey
  }

  private func isOfDevice(_ subject: ControlOperation.Subject, _ act: Act) -> Bool {
    guard case .session(let user, let id) = subject else { return false }
    return (people.sessions[People.Seat(user: user, device: act.device)] ?? []).contains { sessionID($0) == id }
  }

  // MARK: Questions

  /// A change in the eyes of which something is asked: what it had seen, and itself if it is a record.
  struct Act {
    let dot: Dot
    let device: Bytes32
    let author: Key?
    let context: Context
    let index: Int?

    init(_ record: Record, _ index: Int) {
      (dot, device, author, context) = (record.dot, record.device, record.author, record.context)
      self.index = index
    }

    init(dot: Dot, device: Bytes32, author: Key?, context: Context) {
      (self.dot, self.device, self.author, self.context, index) = (dot, device, author, context, nil)
    }

    /// Is the record in its past, or the change itself: its own control operations count as its past.
    func sees(_ record: Record) -> Bool { record.dot == dot || context.covers(record.dot.log, record.dot.seq) }
  }

  /// The state of an account that has this key, if it stands in the eyes of a change.
  func state(of user: Key, _ key: Bytes32, _ act: Act, _ standing: People.Standing) -> Account? {
    for index in people.records[user] ?? [] {
      guard act.sees(records[index]), verdicts[index] == nil, standing.verdicts[index] == nil else { continue }
      for account in records[index].controls.compactMap(\.account) where account.publicKey == key { return account }
    }
    return nil
  }

  /// Does an end that stands, and that the change does not belong to the past of, take the subject away?
  func isEnded(
    _ subject: ControlOperation.Subject, _ act: Act, _ standing: People.Standing, above: Bool = false
  ) -> Bool {
    standing.ends.contains { end in
      end.subject == subject && end.dot != act.dot && (!above || end.level == .above)
        && !records[end.record].context.covers(act.dot.log, act.dot.seq)
    }
  }

  /// Who the author of a change is, by the sessions in its past; or why nobody is.
  func seat(of user: Key, _ act: Act, _ standing: People.Standing) -> (account: Account?, fault: String?) {
    let seats = people.sessions[People.Seat(user: user, device: act.device)] ?? []
    var best: Account?
    var isEnded = false
    for index in seats where act.sees(records[index]) && verdicts[index] == nil && standing.verdicts[index] == nil {
      guard let session = records[index].controls.lazy.compactMap(\.sessionGrant).first, let id = sessionID(index),
        let account = state(of: user, session.publicKey, act, standing)
      else { continue }
      if self.isEnded(.session(user: user, id), act, standing)
        || self.isEnded(.userKey(user: user, session.publicKey), act, standing)
      {
        isEnded = true
      } else if best.map({ $0.version < account.version }) ?? true {
        best = account
      }
    }
    if let best { return (best, nil) }
    return (
      nil, isEnded ? "its author was logged out, or has another password now" : "its author is not logged in there"
    )
  }

  private func sessionRecords(of user: Key) -> [Int] {
    (people.records[user] ?? []).filter { records[$0].controls.contains { $0.sessionGrant != nil } }
  }

  func sessionID(_ index: Int) -> Bytes16? {
    guard let space = genesis?.spaceID else { return nil }
    return records[index].controls.lazy.compactMap(\.sessionGrant).first?.id(
      space: space, device: records[index].device)
  }

  func isOwner(_ act: Act) -> Bool { rank(of: act.device, at: act.dot, act.context, current) >= .owner }

  /// Has an owner vouched for the account's email, in the eyes of a change?
  func isVouched(_ account: Account, _ act: Act) -> Bool {
    (people.vouches[account.user] ?? []).contains { index in
      verdicts[index] == nil && act.sees(records[index])
        && records[index].controls.contains(.vouch(user: account.user, email: account.email))
    }
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

  package var sessionGrant: SessionGrant? { if case .session(let session) = self { session } else { nil } }
}
