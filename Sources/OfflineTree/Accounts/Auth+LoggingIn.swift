/// Logging in and out.
extension Auth {
  /// Logs in on this device, with no network: the accounts of the space are here.
  ///
  /// Of several accounts with the email those are tried that were used here before, then those for which an owner has
  /// vouched, then the oldest: at most four passwords, and two of one account while it is contested. Whoever was logged
  /// in is logged out.
  /// - Parameter user: The one account that is tried, where others claim the email as well.
  /// - Throws: `invalidEmail`; `userNotFound` if no account here has the email; `wrongPassword`; `tooManyRequests` after
  ///   five failures in a row, with the seconds to wait; `refused` before the first sync. If whoever was logged in before
  ///   cannot be logged out, the error says so; the log-in stands all the same.
  @discardableResult
  public func signIn(withEmail email: String, password: Password, user: Key? = nil) throws -> User {
    let email = try Email.normalized(email)
    try requireReady()
    let known = try database.accounts(withEmail: email).filter { user == nil || $0.account.user == user }
    if known.isEmpty { throw Self.notFound(email, user) }
    let candidates = Self.candidates(among: known, used: try logins.read().used, perUser: user == nil ? 2 : 4)
    let claims = Set(known.map(\.account.user)).count
    let key = try open(candidates.map(\.account), password, email: email, claims: claims)
    try start(key)
    return try self.known(key.account.user, key.account.publicKey)
  }

  static func notFound(_ email: String, _ user: Key?) -> TreeError {
    let who = user.map { " and the id \($0)" } ?? ""
    return TreeError(
      .userNotFound, "no account here has the email \(email)\(who)",
      advice: "If it was made on another device, sync first. Else sign up.")
  }

  /// Accounts that a password may open, in the order in which they are tried: so few that nobody can make a log-in cost
  /// more by making accounts.
  ///
  /// - Parameters:
  ///   - known: In the order of `Database.accounts(withEmail:)`.
  ///   - perUser: States of one account that are tried, the newest: whoever contests one account does not keep the others
  ///     with its email out.
  static func candidates(among known: [AccountState], used: [Key], perUser: Int = 2) -> ArraySlice<AccountState> {
    let payable = known.filter { PasswordProfile(rawValue: $0.account.profile) != nil }
    var states: [Key: [AccountState]] = [:]
    for state in payable { states[state.account.user, default: []].append(state) }
    let isUsed = Set(used)
    var users: [Key] = []
    for wanted in [true, false] {
      for state in payable where isUsed.contains(state.account.user) == wanted {
        // The states of one account stand beside each other.
        if users.last != state.account.user { users.append(state.account.user) }
      }
    }
    return users.prefix(candidateLimit).flatMap { user in
      (states[user] ?? []).sorted { $0.account.version > $1.account.version }.prefix(perUser)
    }.prefix(candidateLimit)
  }

  static let candidateLimit = 4

  /// The account that the password opens.
  ///
  /// - Parameter claims: How many accounts have the email.
  func open(_ accounts: [Account], _ password: Password, email: String, claims: Int = 1) throws -> AccountKey {
    try attempts.begin(email, now: database.environment.wallClock())
    for account in accounts {
      checks.withLock { $0 += 1 }
      guard let key = try AccountKey(opening: account, password) else { continue }
      try attempts.succeed(email)
      return key
    }
    let forgotten = "Who has forgotten it logs in with the recovery code that was shown at the sign-up."
    if claims > Self.candidateLimit {
      throw TreeError(
        .wrongPassword, "\(claims) accounts claim the email \(email), and the password opens none that was tried",
        advice: "At most \(Self.candidateLimit) are tried: say by its uid which one is yours. \(forgotten)")
    }
    throw TreeError(
      .wrongPassword, "the password opens no account with the email \(email)", advice: forgotten)
  }

  /// Begins a session, or takes up one that stands: a device that was idle writes nothing.
  private func start(_ key: AccountKey) throws {
    let (user, publicKey) = (key.account.user, key.account.publicKey)
    if let session = try database.sessions(of: user).first(where: { $0.isOwn && $0.publicKey == publicKey }) {
      let login = LoginFile.Login(user: user, session: session.id, publicKey: publicKey)
      let former = try standing()
      try logins.change { $0.setCurrent(login) }
      try database.tellOthers()
      return try leave(former, for: user)
    }
    let grant = newSession(key)
    try leave(try logIn(grant) { try database.write(as: user) { $0.act(.session(grant)) } }, for: user)
  }

  func newSession(_ key: AccountKey) -> SessionGrant {
    key.session(
      random: Bytes16(database.environment.randomBytes(16)), space: database.spaceID, device: database.deviceKey)
  }

  /// Logs out on this device, and with `everywhere` on all. Does nothing if nobody is logged in.
  ///
  /// - Throws: What keeps the session's end from being written; nobody is logged in here all the same.
  public func signOut(everywhere: Bool = false) throws {
    guard let login = try logins.read().current else { return try database.tellOthers() }
    let standing = try standing(of: login)
    // Whoever has logged in meanwhile, in another process, stays.
    try logins.change { if $0.current == login { $0.current = nil } }
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
    if own.id == id {
      try logins.change { if $0.current?.session == id { $0.current = nil } }
      return try end([id], of: own.user)
    }
    guard try database.sessions(of: own.user).contains(where: { $0.id == id }) else {
      throw TreeError(.notFound, "there is no such session", advice: "List the sessions to see them.")
    }
    try end([id], of: own.user)
  }

  /// A change has room for so many acts.
  static let endsPerChange = 1_000

  func end(_ sessions: [Bytes16], of user: Key) throws {
    for start in stride(from: 0, to: sessions.count, by: Self.endsPerChange) {
      let part = sessions[start..<min(start + Self.endsPerChange, sessions.count)]
      try database.write(as: user) { transaction in
        for id in part { transaction.act(.end(.session(user: user, id))) }
      }
    }
  }
}
