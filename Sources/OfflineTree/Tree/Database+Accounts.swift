/// A state of an account that stands now, as far as this device knows.
package struct AccountState: Sendable, Equatable {
  package let account: Account
  /// The device that made the account.
  package let device: Bytes32
  package let deviceName: String
  /// Of the sign-up: the older comes first.
  package let stamp: Stamp
  /// The sign-up's wall time, milliseconds since 1970.
  package let createdAt: Int64
  /// Has an owner vouched for this email?
  package let isVouched: Bool
  /// Does another state of the same account stand beside it?
  package let isContested: Bool
}

/// A state that an account has, or had, or that somebody wrote down for it.
package struct PastState: Sendable, Equatable {
  package enum Fate: Comparable, Sendable {
    /// It counts now.
    case current
    /// Another one came after it, or somebody ended it.
    case ended
    /// Its record is void.
    case void
  }

  package let account: Account
  package let fate: Fate
}

/// A log-in that stands.
package struct SessionState: Sendable, Equatable {
  package let id: Bytes16
  package let user: Key
  package let publicKey: Bytes32
  package let device: Bytes32
  package let deviceName: String
  /// Milliseconds since 1970, by the device's clock.
  package let since: Int64
  package let isOwn: Bool
}

extension Database {
  /// The accounts with an email in normal form: those for which an owner has vouched first, then the oldest.
  package func accounts(withEmail email: String) throws -> [AccountState] {
    try accounts { $0.email.utf8.elementsEqual(email.utf8) }
  }

  /// The states of one account: none if nobody has heard of it or it was deleted, several while it is contested.
  package func accounts(of user: Key) throws -> [AccountState] {
    try view { _, replica in replica.authority.accountStates(of: user, replica.everything) }
  }

  /// Every state that was ever put down for a user, one for each key: those that count now first, then those that have
  /// ended, then the void ones, which anybody can write; of equal fate the newest first.
  ///
  /// - Complexity: O(states).
  package func pastStates(of user: Key) throws -> [PastState] {
    try view { _, replica in replica.authority.pastStates(of: user, replica.everything) }
  }

  /// Whoever ever had a state with an email in normal form, whatever became of it.
  package func usersEver(withEmail email: String) throws -> [Key] {
    try view { _, replica in
      let people = replica.authority.people
      return people.users.filter { people[$0].hasState { $0.email.utf8.elementsEqual(email.utf8) } }.sorted()
    }
  }

  /// All accounts, in the order of `accounts(withEmail:)`.
  package func accounts() throws -> [AccountState] { try accounts { _ in true } }

  /// Only whoever has ever had such a state is looked at closely.
  private func accounts(where isWanted: (Account) -> Bool) throws -> [AccountState] {
    try view { _, replica in
      let (authority, everything) = (replica.authority, replica.everything)
      return authority.people.users.filter { authority.people[$0].hasState(where: isWanted) }
        .flatMap { authority.accountStates(of: $0, everything) }.filter { isWanted($0.account) }
        .sorted { left, right in
          if left.isVouched != right.isVouched { return left.isVouched }
          return (left.stamp, left.account.publicKey) < (right.stamp, right.account.publicKey)
        }
    }
  }

  /// The log-ins of a user that stand, on any device.
  package func sessions(of user: Key) throws -> [SessionState] {
    try view { [self] _, replica in replica.authority.sessionStates(of: user, replica.everything, own: deviceKey) }
  }
}

extension Authority {
  func accountStates(of user: Key, _ everything: Context) -> [AccountState] {
    let (person, act) = (people[user], Act(everything: everything))
    let made = person.records.filter { index in
      stands(index, person, .all) && records[index].controls.contains(where: \.isNewAccount)
    }
    let first = made.map { records[$0] }.min { ($0.stamp, $0.branch) < ($1.stamp, $1.branch) }
    guard let first else { return [] }
    let accounts = person.states.keys.compactMap { key in
      isEnded(.userKey(user: user, key), of: person, act, .all) ? nil : state(key, of: person, act, .all)
    }
    return accounts.sorted { ($0.version, $0.publicKey) < ($1.version, $1.publicKey) }.map { account in
      AccountState(
        account: account, device: first.device, deviceName: name(of: first.device), stamp: first.stamp,
        createdAt: first.wallTime, isVouched: isVouched(account, act), isContested: accounts.count > 1)
    }
  }

  func pastStates(of user: Key, _ everything: Context) -> [PastState] {
    let (person, act) = (people[user], Act(everything: everything))
    let states = person.states.compactMap { key, known -> PastState? in
      guard let standing = state(key, of: person, act, .all) else {
        let void = known.first { act.sees(records[$0.record]) }
        return void.map { PastState(account: $0.account, fate: .void) }
      }
      let isEnded = isEnded(.userKey(user: user, key), of: person, act, .all)
      return PastState(account: standing, fate: isEnded ? .ended : .current)
    }
    return states.sorted { left, right in
      if left.fate != right.fate { return left.fate < right.fate }
      return (right.account.version, left.account.publicKey) < (left.account.version, right.account.publicKey)
    }
  }

  func sessionStates(of user: Key, _ everything: Context, own: Bytes32) -> [SessionState] {
    let (person, act) = (people[user], Act(everything: everything))
    let states = person.sessions.compactMap { id, session -> SessionState? in
      guard let index = session.records.first(where: { stands($0, person, .all) }),
        state(session.key, of: person, act, .all) != nil,
        !isEnded(.session(user: user, id), of: person, act, .all),
        !isEnded(.userKey(user: user, session.key), of: person, act, .all), !isEnded(session.device)
      else { return nil }
      return SessionState(
        id: id, user: user, publicKey: session.key, device: session.device, deviceName: name(of: session.device),
        since: records[index].wallTime, isOwn: session.device == own)
    }
    return states.sorted { ($0.since, $0.id) < ($1.since, $1.id) }
  }
}

extension ControlOperation {
  fileprivate var isNewAccount: Bool { if case .account = self { true } else { false } }
}
