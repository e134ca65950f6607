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

  /// All accounts, in the order of `accounts(withEmail:)`.
  package func accounts() throws -> [AccountState] { try accounts { _ in true } }

  /// Only whoever has ever had such a state is looked at closely.
  private func accounts(where isWanted: (Account) -> Bool) throws -> [AccountState] {
    try view { _, replica in
      let (authority, everything) = (replica.authority, replica.everything)
      return authority.people.records.filter { authority.hasAccount($0.value, where: isWanted) }
        .flatMap { authority.accountStates(of: $0.key, everything) }.filter { isWanted($0.account) }
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
  fileprivate func hasAccount(_ indices: [Int], where isWanted: (Account) -> Bool) -> Bool {
    indices.contains { index in records[index].controls.contains { $0.account.map(isWanted) ?? false } }
  }

  func accountStates(of user: Key, _ everything: Context) -> [AccountState] {
    let standing = people.current(user)
    let act = Act(dot: Authority.nowhere, device: .zero, author: nil, context: everything)
    let records = (people.records[user] ?? []).filter { verdicts[$0] == nil && standing.verdicts[$0] == nil }
    guard let first = records.first(where: { self.records[$0].controls.contains { $0.isNewAccount } }) else {
      return []
    }
    let accounts = records.flatMap { self.records[$0].controls.compactMap(\.account) }.filter {
      !isEnded(.userKey(user: user, $0.publicKey), act, standing)
    }
    let made = self.records[first]
    return Set(accounts).sorted { ($0.version, $0.publicKey) < ($1.version, $1.publicKey) }.map { account in
      AccountState(
        account: account, device: made.device, deviceName: name(of: made.device), stamp: made.stamp,
        createdAt: made.wallTime, isVouched: isVouched(account, act), isContested: Set(accounts).count > 1)
    }
  }

  func sessionStates(of user: Key, _ everything: Context, own: Bytes32) -> [SessionState] {
    let standing = people.current(user)
    let act = Act(dot: Authority.nowhere, device: .zero, author: nil, context: everything)
    return (people.records[user] ?? []).compactMap { index in
      let record = records[index]
      guard verdicts[index] == nil, standing.verdicts[index] == nil, let id = sessionID(index),
        let session = record.controls.lazy.compactMap(\.sessionGrant).first,
        !isEnded(.session(user: user, id), act, standing),
        !isEnded(.userKey(user: user, session.publicKey), act, standing), !isEnded(record.device)
      else { return nil }
      return SessionState(
        id: id, user: user, publicKey: session.publicKey, device: record.device, deviceName: name(of: record.device),
        since: record.wallTime, isOwn: record.device == own)
    }
  }
}

extension ControlOperation {
  fileprivate var isNewAccount: Bool { if case .account = self { true } else { false } }
}
