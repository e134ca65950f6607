/// Getting an account back, and leaving: what ends the keys that it had.
extension Auth {
  /// Sets a new password by the code that was shown at the sign-up, and logs in: from any device that has synced. The
  /// code stays as it is.
  ///
  /// Where two passwords are contested, this decides; and every password that the account ever had is worth nothing any
  /// more, also to who has not heard of it. It also gives back an account whose email somebody has changed, or that was
  /// deleted: with the email that is given, and the username that it had with it.
  /// - Parameters:
  ///   - email: One that the account has, or had.
  ///   - user: The one account that is meant, where others claim the email as well.
  /// - Throws: `userNotFound`, `wrongPassword` if the code is not that of an account with the email, `weakPassword`,
  ///   `refused` before the first sync, or if several accounts have the code. If whoever was logged in before cannot be
  ///   logged out, the error says so; the new password stands all the same.
  @discardableResult
  public func recover(
    withEmail email: String, code: RecoveryCode, newPassword: Password, user: Key? = nil
  ) throws -> User {
    let email = try Email.normalized(email)
    try requireReady()
    let states = try recoverable(email, code, user)
    let (found, past) = (states.newest, states.all)
    let like = Self.like(found, email, past)
    try newPassword.requireStrong(for: Self.known(of: like))
    var terms = terms(after: found)
    (terms.email, terms.username) = (email, like.username)
    let next = try sealed(terms, newPassword, of: found.user)
    let rekey = next.rekey(from: found, by: code, space: database.spaceID, device: database.deviceKey)
    let ends = Self.ends(of: past, but: found.publicKey)
    let entry = [(Profile.Field.email, found.email, email), (Profile.Field.username, found.username, like.username)]
    let changed = entry.filter { !$0.1.utf8.elementsEqual($0.2.utf8) }.map { (name: $0.0, text: $0.2) }
    let former = try put(next, [rekey] + (ends.first ?? []), entry: changed)
    for part in ends.dropFirst() {
      // With the code's word again: only so they reach what has not heard of them.
      try database.write(as: found.user) { transaction in
        for act in [rekey] + part { transaction.act(act) }
      }
    }
    try attempts.succeed(email)
    try leave(former, for: found.user)
    return try known(found.user, next.account.publicKey)
  }

  /// Removes the account of the current user and its entry in the tree, in one change. What the person has posted stays.
  ///
  /// Whoever has an old password, and a device that has not heard of this, can take the account up again: use the
  /// recovery code first, or let an owner end the account.
  /// - Throws: `wrongPassword`, `tooManyRequests`, `refused` if nobody is logged in.
  public func delete(password: Password) throws {
    let (state, session) = try requireUser()
    let user = state.account.user
    _ = try openCurrent(password)
    let path = try entry(of: user)
    let ends = Self.ends(of: try database.pastStates(of: user), but: nil, first: session.publicKey)
    // The key by which this is said ends last.
    for part in ends.dropFirst().reversed() {
      try database.write(as: user) { transaction in
        for act in part { transaction.act(act) }
      }
    }
    try database.write(as: user) { transaction in
      for act in ends.first ?? [] { transaction.act(act) }
      if try transaction.exists(at: path) { try transaction.removeValue(at: path) }
    }
    try logins.change { $0.forget(user) }
    try database.tellOthers()
  }

  /// Ends of every key that an account had, but one: a change each, those that matter most first.
  ///
  /// Of states that are void, which anybody can write without end, no more than the first change has room for.
  static func ends(of states: [PastState], but kept: Bytes32?, first: Bytes32? = nil) -> [[ControlOperation]] {
    let others = states.filter { $0.account.publicKey != kept }
    let real = others.prefix { $0.fate != .void }
    let ended = real + others.dropFirst(real.count).prefix(max(0, endsPerChange - real.count))
    let ordered = ended.filter { $0.account.publicKey == first } + ended.filter { $0.account.publicKey != first }
    return stride(from: 0, to: ordered.count, by: endsPerChange).map { start in
      ordered[start..<min(start + endsPerChange, ordered.count)].map { state in
        .end(.userKey(user: state.account.user, state.account.publicKey))
      }
    }
  }

  // MARK: Finding

  /// The account that has the code, and ever had the email: the newest of its states that count, else of those that have
  /// ended; and all of them.
  private func recoverable(
    _ email: String, _ code: RecoveryCode, _ user: Key?
  ) throws -> (newest: Account, all: [PastState]) {
    let users = try database.usersEver(withEmail: email).filter { user == nil || $0 == user }
    let accounts = try users.map { try database.pastStates(of: $0) }
    // One that somebody only wrote down is none.
    if accounts.joined().allSatisfy({ $0.fate == .void }) { throw Self.notFound(email, user) }
    let found = accounts.compactMap { states in
      states.first { $0.fate != .void && $0.account.recoveryKey == code.publicKey }.map { ($0.account, states) }
    }
    guard let first = found.first else {
      throw TreeError(
        .wrongPassword, "the recovery code is not that of an account with the email \(email)",
        advice: "Type it as it was shown at the sign-up.")
    }
    if found.count > 1 {
      let ids = found.prefix(10).map { "\($0.0.user)" }.joined(separator: ", ")
      throw TreeError(
        .refused, "\(found.count) accounts with the email \(email) have this recovery code: \(ids)",
        advice: "Somebody has copied what is public of yours: say by its uid which account is meant.")
    }
    return (first.0, first.1)
  }

  /// The newest state with the email; the state itself, if only void ones have it.
  private static func like(_ found: Account, _ email: String, _ states: [PastState]) -> Account {
    let same = states.filter { state in
      state.fate != .void && state.account.recoveryKey == found.recoveryKey
        && state.account.email.utf8.elementsEqual(email.utf8)
    }
    return same.map(\.account).max { $0.version < $1.version } ?? found
  }
}
