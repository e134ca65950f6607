/// Changing an account.
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
    return try step(from: password, to: password, entry: [(Profile.Field.email, email)]) { $0.email = email }
  }

  /// Sets another username.
  ///
  /// - Throws: `invalidArgument`, and what `updatePassword` throws.
  @discardableResult
  public func updateUsername(to username: String, password: Password) throws -> User {
    try requireUsername(username)
    return try step(from: password, to: password, entry: [(Profile.Field.username, username)]) {
      $0.username = username
    }
  }

  // MARK: One step

  static func known(of account: Account) -> [String] {
    [account.email, String(account.email.prefix { $0 != "@" }), account.username]
  }

  func terms(after account: Account) -> AccountKey.Terms {
    AccountKey.Terms(
      version: account.version + 1, email: account.email, username: account.username,
      recoveryKey: account.recoveryKey, profile: profile)
  }

  func sealed(_ terms: AccountKey.Terms, _ password: Password, of user: Key) throws(TreeError) -> AccountKey {
    try AccountKey(sealing: terms, password, environment: database.environment) { _ in user }
  }

  /// The state of the current user's account that the password opens.
  func openCurrent(_ password: Password) throws -> AccountKey {
    let account = try requireUser().state.account
    // The state of this session first; one that contests it has another password.
    let states = try database.accounts(of: account.user).map(\.account).filter { $0 != account }
    return try open(Array(([account] + states).prefix(Self.candidateLimit)), password, email: account.email)
  }

  /// The next state of the current user's account.
  @discardableResult
  private func step(
    from old: Password, to new: Password, entry: [(name: String, text: String)] = [],
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
  /// - Returns: Who was logged in before.
  @discardableResult
  func put(
    _ next: AccountKey, _ acts: [ControlOperation], entry changed: [(name: String, text: String)]
  ) throws -> Standing {
    let (user, path, grant) = (next.account.user, try entry(of: next.account.user), newSession(next))
    return try logIn(grant) {
      try database.write(as: user) { transaction in
        for act in acts + [.session(grant)] { transaction.act(act) }
        guard !changed.isEmpty, try transaction.exists(at: path) else { return }
        for (name, text) in changed {
          try transaction.setValue(NewValue(Scalar.string(text)), at: try path.child(name))
        }
      }
    }
  }
}
