/// What those do who look after the space.
extension Auth {
  /// Every account of the space: those for which an owner has vouched first, then the oldest.
  public func users() throws -> [KnownUser] {
    var first: [String: Key] = [:]
    return try database.accounts().map { state in
      let (email, user) = (state.account.email, state.account.user)
      let name = hexadecimal(email.utf8)
      let owner = first[name] ?? user
      first[name] = owner
      return KnownUser(
        user: User(state), publicKey: state.account.publicKey, device: state.device, deviceName: state.deviceName,
        isContested: state.isContested, isSecondWithEmail: owner != user)
    }
  }

  /// Says, as an owner's device, that the person's email is theirs: rules then see `auth.token.email_verified`.
  ///
  /// - Throws: `userNotFound`; `refused` if this device is no owner's, or if the account is contested.
  public func vouch(for user: Key) throws {
    let states = try requireStates(of: user)
    guard states.count == 1, let email = states.first?.account.email else {
      throw TreeError(
        .refused, "two states of the account \(user) stand beside each other",
        advice: "Let the person recover it with the code, or resolve it first.")
    }
    if states[0].isVouched { return }
    try database.write { $0.act(.vouch(user: user, email: email)) }
  }

  /// Decides, as an owner's device, which of the states of an account counts: all others end, also those that it had
  /// before. Old passwords are then worth nothing, also for who has not heard of it; the recovery code alone goes on.
  ///
  /// - Parameter publicKey: The key of the state to keep, as `users` tells it; nil ends the account, also one that was
  ///   deleted.
  /// - Throws: `userNotFound`, `notFound` if no state has the key, `refused` if this device is no owner's.
  public func resolve(_ user: Key, keeping publicKey: Bytes32?) throws {
    let past = try database.pastStates(of: user)
    if past.allSatisfy({ $0.fate == .void }) { throw Self.unknown(user) }
    if let publicKey, !past.contains(where: { $0.fate == .current && $0.account.publicKey == publicKey }) {
      throw TreeError(
        .notFound, "the account \(user) has no such state", advice: "List the users to see the keys that it has.")
    }
    for part in Self.ends(of: past, but: publicKey) {
      try database.write { transaction in
        for act in part { transaction.act(act) }
      }
    }
  }

  private func requireStates(of user: Key) throws -> [AccountState] {
    let states = try database.accounts(of: user)
    if states.isEmpty { throw Self.unknown(user) }
    return states
  }

  private static func unknown(_ user: Key) -> TreeError {
    TreeError(.userNotFound, "no account has the id \(user)", advice: "List the users to see their ids.")
  }
}
