/// Changing an account, getting it back, and leaving.
extension Auth {
  /// Sets another password; with a new key, so that all devices but this one are logged out when they hear of it.
  ///
  /// - Throws: `wrongPassword`, `weakPassword`, `tooManyRequests`, `refused` if nobody is logged in.
  public func updatePassword(from old: Password, to new: Password) throws {
    let account = try requireUser().state.account
    try new.requireStrong(for: Self.known(of: account))
    try step(from: old, to: new) { _ in }
  }

  /// Sets another email. An owner's word for the old one does not count for it.
  ///
  /// - Throws: `invalidEmail`, `emailAlreadyInUse`, and what `updatePassword` throws.
  @discardableResult
  public func updateEmail(to email: String, password: Password) throws -> User {
    let email = try Email.normalized(email)
    try requireFree(email, but: try requireUser().state.account.user)
    return try step(from: password, to: password, entry: (Profile.Field.email, email)) { $0.email = email }
  }

  /// Sets another username.
  ///
  /// - Throws: `invalidArgument`, and what `updatePassword` throws.
  @discardableResult
  public func updateUsername(to username: String, password: Password) throws -> User {
    try requireUsername(username)
    return try step(from: password, to: password, entry: (Profile.Field.username, username)) { $0.username = username }
  }

  /// Sets a new password by the code that was shown at the sign-up, and logs in: from any device that has synced. The
  /// code stays as it is.
  ///
  /// Where two passwords are contested, this decides.
  /// - Throws: `userNotFound`, `wrongPassword` if the code is not that of an account with the email, `weakPassword`,
  ///   `refused` before the first sync.
  @discardableResult
  public func recover(withEmail email: String, code: RecoveryCode, newPassword: Password) throws -> User {
    let email = try Email.normalized(email)
    try requireReady()
    let known = try database.accounts(withEmail: email)
    if known.isEmpty { throw Self.notFound(email) }
    guard let found = known.first(where: { $0.account.recoveryKey == code.publicKey })?.account else {
      throw TreeError(
        .wrongPassword, "the recovery code is not that of an account with the email \(email)",
        advice: "Type it as it was shown at the sign-up.")
    }
    try newPassword.requireStrong(for: Self.known(of: found))
    let next = try sealed(terms(after: found), newPassword, of: found.user)
    let others = try database.accounts(of: found.user).map(\.account.publicKey).filter { $0 != found.publicKey }
    let rekey = next.rekey(from: found, by: code, space: database.spaceID, device: database.deviceKey)
    try put(next, [rekey] + others.map { .end(.userKey(user: found.user, $0)) }, entry: nil)
    try attempts.succeed(email)
    return try self.known(found.user, next.account.publicKey)
  }

  /// Removes the account of the current user and its entry in the tree, in one change. What the person has posted stays.
  ///
  /// - Throws: `wrongPassword`, `tooManyRequests`, `refused` if nobody is logged in.
  public func delete(password: Password) throws {
    let user = try requireUser().state.account.user
    _ = try openCurrent(password)
    let (path, keys) = (try entry(of: user), try database.accounts(of: user).map(\.account.publicKey))
    try database.write(as: user) { transaction in
      for key in keys { transaction.act(.end(.userKey(user: user, key))) }
      if try transaction.exists(at: path) { try transaction.removeValue(at: path) }
    }
    try logins.change { $0.forget(user) }
    try database.tellOthers()
  }

  // MARK: One step

  private static func known(of account: Account) -> [String] {
    [account.email, String(account.email.prefix { $0 != "@" }), account.username]
  }

  private func terms(after account: Account) -> AccountKey.Terms {
    AccountKey.Terms(
      version: account.version + 1, email: account.email, username: account.username,
      recoveryKey: account.recoveryKey, profile: profile)
  }

  private func sealed(_ terms: AccountKey.Terms, _ password: Password, of user: Key) throws(TreeError) -> AccountKey {
    try AccountKey(sealing: terms, password, environment: database.environment) { _ in user }
  }

  /// The state of the current user's account that the password opens.
  private func openCurrent(_ password: Password) throws -> AccountKey {
    let account = try requireUser().state.account
    // The state of this session first; one that contests it has another password.
    let states = try database.accounts(of: account.user).map(\.account).filter { $0 != account }
    return try open(Array(([account] + states).prefix(Self.candidateLimit)), password, email: account.email)
  }

  /// The next state of the current user's account.
  @discardableResult
  private func step(
    from old: Password, to new: Password, entry: (name: String, text: String)? = nil,
    _ change: (inout AccountKey.Terms) -> Void
  ) throws -> User {
    try requireReady()
    let before = try openCurrent(old)
    var terms = terms(after: before.account)
    change(&terms)
    let next = try sealed(terms, new, of: before.account.user)
    try put(next, [next.rekey(from: before, space: database.spaceID, device: database.deviceKey)], entry: entry)
    return try known(before.account.user, next.account.publicKey)
  }

  /// Writes a new state together with a session of it, and what has changed of the person's entry.
  private func put(
    _ next: AccountKey, _ acts: [ControlOperation], entry changed: (name: String, text: String)?
  ) throws {
    let (user, path, grant) = (next.account.user, try entry(of: next.account.user), newSession(next))
    try logIn(grant) {
      try database.write(as: user) { transaction in
        for act in acts + [.session(grant)] { transaction.act(act) }
        guard let changed, try transaction.exists(at: path) else { return }
        try transaction.setValue(NewValue(Scalar.string(changed.text)), at: try path.child(changed.name))
      }
    }
  }
}
