/// Accounts without a server: sign up, log in on any device that has synced, and be who you are in what you write.
///
/// `docs/accounts.md` says how it works and what each error means. Who is logged in is remembered in the home, for every
/// process that has it open. Every method may be called from any thread; those that take a password need about a second
/// and 256 MiB for it, and block unless they are awaited.
public final class Auth: Sendable {
  public let database: Database
  /// Where people have their entries: `users` unless said otherwise.
  public let usersPath: Path
  let profile: PasswordProfile
  let logins: LoginFile
  let attempts: AttemptFile
  /// How many passwords were checked.
  let checks = Monitor(0)

  public convenience init(_ database: Database, usersPath: Path = Auth.defaultUsersPath) {
    self.init(database, usersPath: usersPath, profile: .standard)
  }

  /// Whoever is logged in is who writes through the references of `database` from now on.
  /// - Parameter profile: What the passwords of new accounts cost.
  package convenience init(
    _ database: Database, usersPath: Path = Auth.defaultUsersPath, profile: PasswordProfile
  ) {
    self.init(looking: database, usersPath, profile)
    // Neither holds the other: this object may go while its database is written to.
    database.actingUser = { [weak database] in
      guard let database else { return nil }
      return try Auth(looking: database, usersPath, profile).currentUser?.uid
    }
  }

  private init(looking database: Database, _ usersPath: Path, _ profile: PasswordProfile) {
    self.database = database
    self.usersPath = usersPath
    self.profile = profile
    logins = LoginFile(home: database.home)
    attempts = AttemptFile(home: database.home)
  }

  public static let defaultUsersPath = Path(trusted: [Key(trusted: "users")])

  // MARK: Who is logged in

  /// Who is logged in on this home; nil if nobody is, or is not any more: `signOutReason` says why.
  ///
  /// A change of the password on another device logs out here as soon as it has arrived.
  public var currentUser: User? {
    get throws {
      if case .user(let state, _) = try standing() { User(state) } else { nil }
    }
  }

  /// Why the one who was logged in last is not any more; nil if somebody is, or nobody was. Stays until the next
  /// `signIn` or `signOut`.
  public var signOutReason: SignOutReason? {
    get throws {
      if case .ended(_, let reason) = try standing() { reason } else { nil }
    }
  }

  enum Standing {
    case nobody
    case user(AccountState, SessionState)
    case ended(LoginFile.Login, SignOutReason)
  }

  func standing() throws -> Standing {
    try logins.read().current.map(standing(of:)) ?? .nobody
  }

  func standing(of login: LoginFile.Login) throws -> Standing {
    let states = try database.accounts(of: login.user)
    if states.isEmpty { return .ended(login, .accountGone) }
    let sessions = try database.sessions(of: login.user)
    if let session = sessions.first(where: { $0.isOwn && $0.id == login.session }),
      let state = states.first(where: { $0.account.publicKey == session.publicKey })
    {
      return .user(state, session)
    }
    if states.contains(where: { $0.account.publicKey == login.publicKey }) { return .ended(login, .sessionEnded) }
    let newer = sessions.filter { $0.publicKey != login.publicKey }.min { $0.since < $1.since }
    return .ended(login, .accountChanged(deviceName: newer?.deviceName, at: newer?.since))
  }

  /// - Throws: `refused` if nobody is logged in.
  func requireUser() throws -> (state: AccountState, session: SessionState) {
    switch try standing() {
    case .user(let state, let session): return (state, session)
    case .nobody: throw TreeError(.refused, "nobody is logged in on this device", advice: "Log in first.")
    case .ended(_, let reason):
      throw TreeError(.refused, "nobody is logged in on this device: \(reason)", advice: "Log in again.")
    }
  }

  // MARK: Together

  /// Before a second is spent on a password: may this device write, and does it know who is in the space?
  func requireReady() throws {
    if try database.isNewcomer() {
      throw TreeError(
        .refused, "this device knows nothing of the space's people yet",
        advice: "Sync once first, with a device that is in the space.")
    }
    if try database.standing(of: database.deviceKey) == .ended {
      throw TreeError(
        .refused, "this device is out of the space",
        advice: "What it has stays readable here. To come back it needs a new invite and a new home.")
    }
  }

  /// An account has an entry in the tree.
  func requireWriter() throws {
    let own = try database.members().first(where: \.isSelf)
    if own?.role == .reader {
      throw TreeError(
        .refused, "this device is a reader: it sees everything, and changes nothing",
        advice: "Ask an owner to make it a member.")
    }
  }

  /// Refuses a name that nobody can have.
  func requireUsername(_ name: String) throws(TreeError) {
    if let problem = Username.problem(name) {
      throw TreeError(.invalidArgument, problem, advice: "Choose another username.")
    }
  }

  /// Remembers a log-in, and writes what makes it one: together, as far as two files can be.
  ///
  /// The file comes first: where it cannot be written nothing is, and what it names before the write counts for nothing.
  /// - Returns: Who was logged in before: `leave` logs them out.
  func logIn(_ grant: SessionGrant, _ write: () throws -> Void) throws -> Standing {
    let id = grant.id(space: database.spaceID, device: database.deviceKey)
    let former = try standing()
    let before = try logins.change {
      $0.setCurrent(LoginFile.Login(user: grant.user, session: id, publicKey: grant.publicKey))
    }
    do {
      try write()
    } catch {
      // Should this fail as well, the file names a session that is none: nobody is logged in by it. Whoever has logged in
      // meanwhile, in another process, stays.
      _ = try? logins.change { if $0.current?.session == id { $0 = before } }
      throw error
    }
    return former
  }

  /// Logs out who was logged in before somebody else.
  ///
  /// - Throws: What keeps the session's end from being written. The log-in stands all the same.
  func leave(_ former: Standing, for user: Key) throws(TreeError) {
    guard case .user(let state, let session) = former, session.user != user else { return }
    do {
      try end([session.id], of: session.user)
    } catch {
      let cause = error as? TreeError
      throw TreeError(
        cause?.code ?? .internal,
        "the log-in stands, but \(state.account.email) could not be logged out of this device: \(cause?.context ?? "\(error)")",
        advice: "Their session is open still: log in here as \(state.account.email), and log out; or end it elsewhere.",
        underlying: cause?.underlying)
    }
  }

  /// The user as the space knows it now.
  func known(_ user: Key, _ publicKey: Bytes32) throws -> User {
    guard let state = try database.accounts(of: user).first(where: { $0.account.publicKey == publicKey }) else {
      throw TreeError(.userNotFound, "the account \(user) is not here any more")
    }
    return User(state)
  }

  /// Where the user's entry is.
  func entry(of user: Key) throws(TreeError) -> Path { try usersPath.child(user) }
}
