/// Judging records about people: accounts, log-ins, and what ends them (docs/merge.md, "People").
extension Authority {
  // MARK: Keeping up

  /// Judges the newest record, which is about a person.
  ///
  /// What its ends change for records before it is left to `settlePeople`.
  /// - Returns: Its ends that are kept.
  mutating func addToPeople(_ index: Int) -> [People.End] {
    guard verdicts[index] == nil, let user = records[index].person else { return [] }
    var person = people.take(user)
    defer { people.put(person, user) }
    let faults = faults(index, person)
    for step in People.Step.allCases { person.judge(index, step, faults[step.rawValue]) }
    var kept: [People.End] = []
    if faults[People.Step.past.rawValue] == nil { kept = keepEnds(of: index, &person, .past) }
    if faults[People.Step.above.rawValue] == nil { kept += keepEnds(of: index, &person, .above) }
    if kept.contains(where: { person.reachesUnseen($0.subject, of: records[index]) }) { people.unsettle(user) }
    return kept
  }

  /// The verdicts on the newest record, by step.
  private func faults(_ index: Int, _ person: Person) -> [String?] {
    if person.hasEnds { return People.Step.allCases.map { personFault(index, person, $0) } }
    // Without ends the steps do not differ.
    return Array(repeating: personFault(index, person, .past), count: People.Step.allCases.count)
  }

  /// Keeps the ends that a step finds in a record which stands in it; whichever are not kept yet.
  private func keepEnds(of index: Int, _ person: inout Person, _ step: People.Step) -> [People.End] {
    var ends = personEnds(of: index, person, step)
    switch step {
    case .past:
      for end in ends { person.keepPast(end, records) }
      ends = ends.filter { $0.level == .above }
    case .above:
      ends = ends.map { People.End(record: $0.record, dot: $0.dot, subject: $0.subject, level: .person) }
    case .all: return []
    }
    return ends.filter { person.keep($0, records) }
  }

  /// Judges anew whoever's records ends have reached.
  /// - Complexity: O(their records).
  mutating func settlePeople() {
    for user in people.unsettled { judge(user) }
  }

  mutating func judgePeople() {
    people.keepVouches(records, verdicts)
    ruleBook.keep(records, verdicts)
    for user in Array(people.users) { judge(user) }
  }

  /// Judges all records about a person.
  private mutating func judge(_ user: Key) {
    people.settle(user)
    var person = people.take(user)
    person.forgetJudgement()
    for step in People.Step.allCases {
      for index in person.records where verdicts[index] == nil {
        let fault = personFault(index, person, step)
        person.judge(index, step, fault)
        if fault == nil { _ = keepEnds(of: index, &person, step) }
      }
    }
    people.put(person, user)
  }

  // MARK: One record

  private func personFault(_ index: Int, _ person: Person, _ step: People.Step) -> String? {
    let (record, act) = (records[index], Act(records[index]))
    guard let user = record.person else { return nil }
    for operation in record.controls {
      if let reason = denial(of: operation, about: user, in: index, person, act, step) { return reason }
    }
    guard let change = record.change else {
      return record.author.flatMap { seat(of: $0, person, act, step).fault }
    }
    return fault(of: change, person, act, step)
  }

  private func denial(
    of operation: ControlOperation, about user: Key, in index: Int, _ person: Person, _ act: Act, _ step: People.Step
  ) -> String? {
    switch operation {
    case .account:
      return makesTooMany(index, act) ? "its device has made too many accounts for which no owner vouches" : nil
    case .rekey(let rekey): return fault(of: rekey, person, act, step)
    case .session(let session):
      guard state(session.publicKey, of: person, act, step) != nil else { return "there is no such account" }
      return isEnded(.userKey(user: user, session.publicKey), of: person, act, step)
        ? "its log-in rests on a password that is not the account's any more" : nil
    case .end(.session(_, let id)):
      guard let session = person.sessions[id], session.records.contains(where: { act.sees(records[$0]) }) else {
        return "there is no such session"
      }
      return session.device == act.device || act.author == user || isOwner(act)
        ? nil : "its device may not end the session"
    case .end(.userKey(_, let key)):
      guard person.states[key]?.contains(where: { act.sees(records[$0.record]) }) == true else {
        return "there is no such account"
      }
      return act.author == user || isRecovery(records[index], person, act, step) || isOwner(act)
        ? nil : "its device may not end the account"
    case .invite, .grant, .end, .rotate, .rules, .vouch, .moderate, .retract, .deviceName, .recovery, .deliver,
      .lockbox, .keep, .attest:
      return nil
    }
  }

  private func fault(of rekey: Rekey, _ person: Person, _ act: Act, _ step: People.Step) -> String? {
    let next = rekey.account
    guard let before = state(rekey.previous, of: person, act, step) else { return "there is no such account" }
    if next.version == 0 || next.version - 1 != before.version { return "it skips a version of the account" }
    if rekey.signer == before.recoveryKey { return nil }
    if rekey.signer != before.publicKey { return "neither the account's key nor its recovery code has signed it" }
    if next.recoveryKey != before.recoveryKey { return "only the recovery code replaces the recovery code" }
    return isEnded(.userKey(user: next.user, rekey.previous), of: person, act, step, isRekey: true)
      ? "the key that has signed it is not the account's any more" : nil
  }

  /// Has its device made as many accounts as it may, as far as the record knows?
  private func makesTooMany(_ index: Int, _ act: Act) -> Bool {
    let record = records[index]
    guard let made = people.made[record.device], made.count > Limits.accountsPerDevice, !isOwner(act) else {
      return false
    }
    var users: Set<Key> = []
    for other in made where verdicts[other] == nil && record.saw(records[other]) {
      guard let user = records[other].person, user != record.person else { continue }
      if !people.vouches(for: user).contains(where: { record.saw(records[$0]) }) { users.insert(user) }
      if users.count >= Limits.accountsPerDevice { return true }
    }
    return false
  }

  /// What a record about a person ends, if it stands.
  private func personEnds(of index: Int, _ person: Person, _ step: People.Step) -> [People.End] {
    let record = records[index]
    guard record.controls.contains(where: \.endsOfPeople) else { return [] }
    let act = Act(record)
    let isRecovery = isRecovery(record, person, act, step)
    return record.controls.compactMap { operation in
      switch operation {
      case .end(let subject):
        let isAbove = isRecovery || act.author == nil && !isOfDevice(subject, person, act)
        return People.End(record: index, dot: record.dot, subject: subject, level: isAbove ? .above : .person)
      case .rekey(let rekey):
        let subject = ControlOperation.Subject.userKey(user: rekey.account.user, rekey.previous)
        return People.End(record: index, dot: record.dot, subject: subject, level: isRecovery ? .above : .person)
      default: return nil
      }
    }
  }

  /// Does it change an account by the account's recovery key?
  private func isRecovery(_ record: Record, _ person: Person, _ act: Act, _ step: People.Step) -> Bool {
    record.controls.contains { operation in
      guard case .rekey(let rekey) = operation else { return false }
      return rekey.signer == state(rekey.previous, of: person, act, step)?.recoveryKey
    }
  }

  private func isOfDevice(_ subject: ControlOperation.Subject, _ person: Person, _ act: Act) -> Bool {
    guard case .session(_, let id) = subject else { return false }
    return person.sessions[id]?.device == act.device
  }
}

extension ControlOperation {
  /// Does it end sessions or users' keys?
  var endsOfPeople: Bool {
    switch self {
    case .end(.session), .end(.userKey), .rekey: true
    default: false
    }
  }
}
