/// Logging in and out.
extension Auth {
  /// Logs in on this device, with no network: the accounts of the space are here.
  ///
  /// Of several accounts with the email those are tried that were used here before, then those for which an owner has
  /// vouched, then the oldest: at most four. Whoever was logged in is logged out.
  /// - Throws: `invalidEmail`; `userNotFound` if no account here has the email; `wrongPassword`; `tooManyRequests` after
  ///   five failures in a row, with the seconds to wait; `refused` before the first sync.
  @discardableResult
  public func signIn(withEmail email: String, password: Password) throws -> User {
    let email = try Email.normalized(email)
    try requireReady()
    let known = try database.accounts(withEmail: email)
    if known.isEmpty { throw Self.notFound(email) }
    let candidates = Self.candidates(among: known, used: try logins.read().used)
    let key = try open(candidates.map(\.account), password, email: email)
    try start(key)
    return try self.known(key.account.user, key.account.publicKey)
  }

  static func notFound(_ email: String) -> TreeError {
    TreeError(
      .userNotFound, "no account here has the email \(email)",
      advice: "If it was made on another device, sync first. Else sign up.")
  }

  /// Accounts that a password may open, in the order in which they are tried: so few that nobody can make a log-in cost
  /// more by making accounts.
  ///
  /// - Parameter known: In the order of `Database.accounts(withEmail:)`.
  static func candidates(among known: [AccountState], used: [Key]) -> ArraySlice<AccountState> {
    let payable = known.filter { PasswordProfile(rawValue: $0.account.profile) != nil }
    let isUsed = Set(used)
    return
      (payable.filter { isUsed.contains($0.account.user) } + payable.filter { !isUsed.contains($0.account.user) })
      .prefix(candidateLimit)
  }

  static let candidateLimit = 4

  /// The account that the password opens.
  func open(_ accounts: [Account], _ password: Password, email: String) throws -> AccountKey {
    try attempts.begin(email, now: database.environment.wallClock())
    for account in accounts {
      checks.withLock { $0 += 1 }
      guard let key = try AccountKey(opening: account, password) else { continue }
      try attempts.succeed(email)
      return key
    }
    throw TreeError(
      .wrongPassword, "the password opens no account with the email \(email)",
      advice: "Who has forgotten it logs in with the recovery code that was shown at the sign-up.")
  }

  /// Begins a session, or takes up one that stands: a device that was idle writes nothing.
  private func start(_ key: AccountKey) throws {
    let (user, publicKey) = (key.account.user, key.account.publicKey)
    if let session = try database.sessions(of: user).first(where: { $0.isOwn && $0.publicKey == publicKey }) {
      let login = LoginFile.Login(user: user, session: session.id, publicKey: publicKey)
      let former = try standing()
      try logins.change { $0.setCurrent(login) }
      leave(former, for: user)
      return try database.tellOthers()
    }
    let grant = newSession(key)
    try logIn(grant) { try database.write(as: user) { $0.act(.session(grant)) } }
  }

  func newSession(_ key: AccountKey) -> SessionGrant {
    key.session(
      random: Bytes16(database.environment.randomBytes(16)), space: database.spaceID, device: database.deviceKey)
  }

  /// Logs out on this device, and with `everywhere` on all. Does nothing if nobody is logged in.
  ///
  /// - Throws: What keeps the session's end from being written; nobody is logged in here all the same.
  public func signOut(everywhere: Bool = false) throws {
    let standing = try standing()
    try logins.change { $0.current = nil }
    guard case .user(_, let own) = standing else { return try database.tellOthers() }
    let ended = try everywhere ? database.sessions(of: own.user).map(\.id) : [own.id]
    try end(ended, of: own.user)
  }

  /// The log-ins of the current user, on all devices; none if nobody is logged in.
  public func sessions() throws -> [UserSession] {
    guard case .user(_, let own) = try standing() else { return [] }
    return try database.sessions(of: own.user).map(UserSession.init)
  }

  /// Ends a log-in of the current user, on whatever device it is.
  public func endSession(_ id: Bytes16) throws {
    let (_, own) = try requireUser()
    if own.id == id { return try signOut() }
    guard try database.sessions(of: own.user).contains(where: { $0.id == id }) else {
      throw TreeError(.notFound, "there is no such session", advice: "List the sessions to see them.")
    }
    try end([id], of: own.user)
  }

  /// A change has room for so many acts.
  private static let endsPerChange = 1_000

  func end(_ sessions: [Bytes16], of user: Key) throws {
    for start in stride(from: 0, to: sessions.count, by: Self.endsPerChange) {
      let part = sessions[start..<min(start + Self.endsPerChange, sessions.count)]
      try database.write(as: user) { transaction in
        for id in part { transaction.act(.end(.session(user: user, id))) }
      }
    }
  }
}
