package import OfflineTree

/// What docs/merge.md says of people and rules, word by word: slow and obvious on purpose.
///
/// Changes are known by their index in the history, which is their place in a causal order.
package struct ModelPeople: Sendable {
  /// Why a change is void.
  package enum Reason: Hashable, Sendable {
    case noAuthor, noState, noVersion, notSigned, endedKey, noSession, denied, tooMany, rules
  }

  package struct End: Hashable, Sendable {
    package let change: Int
    package let subject: ControlOperation.Subject
    package let isAbove: Bool
  }

  /// What a step goes by.
  struct Found {
    var verdicts: [Reason?] = []
    /// Ends that reach what they had not seen, too.
    var reaching: [End] = []
    /// Ends that count only for those that had seen them.
    var seen: [End] = []
  }

  let history: History
  let authority: ModelAuthority
  /// Why a change is void by form, or as devices go.
  private let barred: [Bool]
  /// Changes with acts, the lowest (stamp, log id) first.
  private let sorted: [Int]
  private let documents: [Int: Rules]
  private let first: Rules?
  /// The ends that are kept.
  package private(set) var ends: [End] = []
  /// By change; nil for what stands, and for what is void otherwise.
  package private(set) var verdicts: [Reason?] = []

  init(_ history: History, _ authority: ModelAuthority, barred: [Bool]) {
    (self.history, self.authority, self.barred) = (history, authority, barred)
    var documents: [Int: Rules] = [:]
    for index in history.records.indices where !barred[index] {
      for case .rules(let text) in history.change(index).controls { documents[index] = try? Rules(text) }
    }
    self.documents = documents
    sorted = history.records.indices.filter { !history.change($0).controls.isEmpty && !barred[$0] }
      .sorted { history.order($0) < history.order($1) }
    first = history.genesis.flatMap { $0.rules.isEmpty ? nil : try? Rules($0.rules) }
    ends = endsKept()
    var all = Found(reaching: ends)
    for index in history.records.indices { all.verdicts.append(verdict(index, all)) }
    verdicts = all.verdicts
  }

  private func endsKept() -> [End] {
    var past = Found()
    for index in history.records.indices {
      past.verdicts.append(verdict(index, past))
      if past.verdicts[index] == nil { past.seen += endings(of: index, past) }
    }
    let fromAbove = past.seen.filter(\.isAbove)
    var above = Found(reaching: fromAbove)
    for index in history.records.indices {
      above.verdicts.append(verdict(index, above))
      if above.verdicts[index] != nil { continue }
      for end in endings(of: index, above)
      where !fromAbove.contains(where: { $0.change == index && $0.subject == end.subject }) {
        above.seen.append(End(change: index, subject: end.subject, isAbove: false))
      }
    }
    return fromAbove + above.seen
  }

  // MARK: In the eyes of a change

  /// Is another change there, in the eyes of one? Nil has seen everything.
  func isThere(_ other: Int, for index: Int?) -> Bool {
    index.map { other == $0 || history.saw($0, other) } ?? true
  }

  func stands(_ index: Int, _ found: Found) -> Bool {
    // One that is being judged is taken to stand.
    !barred[index] && (index >= found.verdicts.count || found.verdicts[index] == nil)
  }

  /// Standing records there, the lowest (stamp, log id) first.
  private func records(for index: Int?, _ found: Found) -> [Int] {
    sorted.filter { isThere($0, for: index) && stands($0, found) }
  }

  func state(_ user: Key, _ key: Bytes32, for index: Int?, _ found: Found) -> Account? {
    for record in records(for: index, found) {
      for operation in history.change(record).controls {
        if let account = operation.account, account.user == user, account.publicKey == key { return account }
      }
    }
    return nil
  }

  func isEnded(
    _ subject: ControlOperation.Subject, for index: Int?, _ found: Found, isRekey: Bool = false
  ) -> Bool {
    func reaches(_ end: End, _ isUnseenToo: Bool) -> Bool {
      guard end.subject == subject, end.change != index else { return false }
      guard let index else { return true }
      if history.saw(index, end.change) { return true }
      return isUnseenToo && !history.saw(end.change, index)
    }
    return found.seen.contains { reaches($0, false) }
      || found.reaching.contains { reaches($0, $0.isAbove || !isRekey) }
  }

  /// Sessions of a user on a device that count there.
  private func sessions(_ user: Key, on device: Bytes32, for index: Int?, _ found: Found) -> [SessionGrant] {
    records(for: index, found).filter { history.deviceKey(of: $0) == device }.flatMap { record in
      history.change(record).controls.compactMap { if case .session(let grant) = $0 { grant } else { nil } }
    }.filter { $0.user == user }
  }

  func actor(_ user: Key, on device: Bytes32, for index: Int?, _ found: Found) -> Account? {
    let states = sessions(user, on: device, for: index, found).compactMap { grant -> Account? in
      let id = grant.id(space: history.space, device: device)
      if isEnded(.session(user: user, id), for: index, found) { return nil }
      if isEnded(.userKey(user: user, grant.publicKey), for: index, found) { return nil }
      return state(user, grant.publicKey, for: index, found)
    }
    return states.min { left, right in
      left.version != right.version ? left.version > right.version : left.publicKey < right.publicKey
    }
  }

  private func isOwner(_ index: Int) -> Bool {
    authority.rank(of: history.deviceKey(of: index) ?? .zero, for: index) >= .owner
  }

  /// Is an owner's word there for the user's email, or for any?
  func isVouched(_ user: Key, _ email: String?, for index: Int?) -> Bool {
    sorted.contains { other in
      isThere(other, for: index)
        && history.change(other).controls.contains { operation in
          guard case .vouch(user, let word) = operation else { return false }
          return email.map { $0.utf8.elementsEqual(word.utf8) } ?? true
        }
    }
  }
}

// MARK: One change

extension ModelPeople {
  private func verdict(_ index: Int, _ found: Found) -> Reason? {
    if barred[index] { return nil }
    let change = history.change(index)
    for operation in change.controls {
      if let reason = fault(of: operation, index, found) { return reason }
    }
    var auth: Actor?
    if let author = change.author {
      guard let account = actor(author, on: history.deviceKey(of: index) ?? .zero, for: index, found) else {
        return .noAuthor
      }
      auth = Actor(
        uid: author, email: account.email, name: account.username,
        isEmailVerified: isVouched(author, account.email, for: index))
    }
    if change.operations.isEmpty || auth == nil && isOwner(index) { return nil }
    let newest = documents.keys.filter { isThere($0, for: index) }.max { history.order($0) < history.order($1) }
    let rules = newest.flatMap { documents[$0] } ?? first
    return rules?.refusal(of: change, by: auth, history.declarations) == nil ? nil : .rules
  }

  private func fault(of operation: ControlOperation, _ index: Int, _ found: Found) -> Reason? {
    let (device, author) = (history.deviceKey(of: index), history.change(index).author)
    switch operation {
    case .account(let new): return hasMadeEight(index, besides: new.account.user) && !isOwner(index) ? .tooMany : nil
    case .rekey(let rekey): return fault(of: rekey, index, found)
    case .session(let grant):
      if state(grant.user, grant.publicKey, for: index, found) == nil { return .noState }
      return isEnded(.userKey(user: grant.user, grant.publicKey), for: index, found) ? .endedKey : nil
    case .end(.session(let user, let id)):
      let granting = history.records.indices.filter { other in
        isThere(other, for: index) && history.faults[other] == nil && grants(other, user, id)
      }
      if granting.isEmpty { return .noSession }
      let isOwn = granting.contains { history.deviceKey(of: $0) == device }
      return isOwn || author == user || isOwner(index) ? nil : .denied
    case .end(.userKey(let user, let key)):
      let isKnown = history.records.indices.contains { other in
        isThere(other, for: index) && history.faults[other] == nil
          && history.change(other).controls.compactMap(\.account).contains { $0.user == user && $0.publicKey == key }
      }
      if !isKnown { return .noState }
      return author == user || isRecovery(index, found) || isOwner(index) ? nil : .denied
    default: return nil
    }
  }

  private func grants(_ index: Int, _ user: Key, _ id: Bytes16) -> Bool {
    history.change(index).controls.contains { operation in
      guard case .session(let grant) = operation, let device = history.deviceKey(of: index) else { return false }
      return grant.user == user && grant.id(space: history.space, device: device) == id
    }
  }

  private func fault(of rekey: Rekey, _ index: Int, _ found: Found) -> Reason? {
    let next = rekey.account
    guard let before = state(next.user, rekey.previous, for: index, found) else { return .noState }
    if next.version == 0 || next.version - 1 != before.version { return .noVersion }
    if rekey.signer == before.recoveryKey { return nil }
    if rekey.signer != rekey.previous || next.recoveryKey != before.recoveryKey { return .notSigned }
    return isEnded(.userKey(user: next.user, rekey.previous), for: index, found, isRekey: true) ? .endedKey : nil
  }

  private func isRecovery(_ index: Int, _ found: Found) -> Bool {
    history.change(index).controls.contains { operation in
      guard case .rekey(let rekey) = operation else { return false }
      return state(rekey.account.user, rekey.previous, for: index, found)?.recoveryKey == rekey.signer
    }
  }

  private func hasMadeEight(_ index: Int, besides user: Key) -> Bool {
    let made = history.records.indices.filter { other in
      history.saw(index, other) && !barred[other] && history.deviceKey(of: other) == history.deviceKey(of: index)
    }
    let users = made.flatMap { other in
      history.change(other).controls.compactMap { if case .account(let new) = $0 { new.account.user } else { nil } }
    }
    return Set(users).count { $0 != user && !isVouched($0, nil, for: index) } >= 8
  }

  private func endings(of index: Int, _ found: Found) -> [End] {
    if barred[index] { return [] }
    let change = history.change(index)
    let isRecovery = isRecovery(index, found)
    return change.controls.compactMap { operation in
      switch operation {
      case .end(let subject):
        var isOwn = false
        if case .session(let user, let id) = subject {
          isOwn = history.records.indices.contains {
            history.deviceKey(of: $0) == history.deviceKey(of: index) && grants($0, user, id)
          }
        }
        return End(change: index, subject: subject, isAbove: isRecovery || change.author == nil && !isOwn)
      case .rekey(let rekey):
        return End(
          change: index, subject: .userKey(user: rekey.account.user, rekey.previous), isAbove: isRecovery)
      default: return nil
      }
    }.filter { end in
      switch end.subject {
      case .session, .userKey: true
      case .device, .log, .invite, .role: false
      }
    }
  }
}

// MARK: What people see

extension ModelPeople {
  private var all: Found { Found(verdicts: verdicts, reaching: ends) }

  /// Public keys of the states of an account that stand, of all users.
  package var states: [Key: Set<Account>] {
    var states: [Key: Set<Account>] = [:]
    for index in history.records.indices {
      for named in history.change(index).controls.compactMap(\.account) {
        let (user, key) = (named.user, named.publicKey)
        guard !isEnded(.userKey(user: user, key), for: nil, all), let account = state(user, key, for: nil, all) else {
          continue
        }
        states[user, default: []].insert(account)
      }
    }
    // Nobody has an account that no sign-up stands for.
    return states.filter { user, _ in
      records(for: nil, all).contains { index in
        history.change(index).controls.contains {
          if case .account(let new) = $0 { new.account.user == user } else { false }
        }
      }
    }
  }

  /// How an element of an add-only set that a change has made is shown.
  package func removal(of element: PathKey, madeBy change: Int) -> String? {
    let standing = records(for: nil, all)
    let word = standing.last { index in
      history.change(index).controls.contains { if case .moderate(element, _) = $0 { true } else { false } }
    }
    if let word, history.change(word).controls.contains(.moderate(element, isHidden: true)) { return "moderated" }
    guard let author = history.change(change).author else { return nil }
    let isRetracted = standing.contains { index in
      history.change(index).author == author && history.change(index).controls.contains(.retract(element))
    }
    return isRetracted ? "retracted" : nil
  }
}
