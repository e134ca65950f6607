/// Making an account.
extension Auth {
  /// Makes an account, logs in, and writes the entry `users/‹uid›`: one change, which is all there or not at all.
  ///
  /// The image stays on this device; the entry names it.
  /// - Parameter profileImage: A PNG, JPEG, GIF or WebP of at most 5 MiB and 8,192 pixels a side.
  /// - Returns: The user, and the code that gives the account back: show it once.
  /// - Throws: `invalidEmail`, `emailAlreadyInUse`, `weakPassword`; `invalidArgument` or `limitExceeded` for a username
  ///   or image that cannot be one; `refused` before the first sync, if the space's rules refuse the entry, or if the
  ///   device has made eight accounts for which no owner has vouched.
  public func createUser(
    withEmail email: String, password: Password, username: String, profileImage: [UInt8]? = nil
  ) throws -> SignUp {
    let email = try Email.normalized(email)
    try requireUsername(username)
    try password.requireStrong(for: [email, String(email.prefix { $0 != "@" }), username])
    let image = try profileImage.map { bytes throws(TreeError) in try Blob(image: bytes) }
    try requireReady()
    try requireWriter()
    try requireFree(email)
    let code = RecoveryCode(for: .account, environment: database.environment)
    let random = Bytes16(database.environment.randomBytes(16))
    let terms = AccountKey.Terms(
      version: 0, email: email, username: username, recoveryKey: code.publicKey, profile: profile)
    let key = try AccountKey(sealing: terms, password, environment: database.environment) { publicKey in
      Account.userID(space: database.spaceID, publicKey: publicKey, random: random)
    }
    // Another process may have been as quick.
    try requireFree(email)
    let (user, path) = (key.account.user, try entry(of: key.account.user))
    let (account, grant) = (newAccount(key, random), newSession(key))
    let entry = try Self.newEntry(email: email, username: username, image: image)
    let former = try logIn(grant) {
      try database.write(as: user) { transaction in
        transaction.act(account)
        transaction.act(.session(grant))
        try transaction.setValue(entry, at: path)
        if let image { try transaction.keep(image) }
      }
    }
    // The code is worth more than what goes wrong here.
    var problem: TreeError?
    do throws(TreeError) { try leave(former, for: user) } catch { problem = error }
    return SignUp(user: try known(user, key.account.publicKey), recoveryCode: code, logOutProblem: problem)
  }

  private func newAccount(_ key: AccountKey, _ random: Bytes16) -> ControlOperation {
    key.newAccount(random: random, space: database.spaceID, device: database.deviceKey)
  }

  /// - Throws: `emailAlreadyInUse`.
  func requireFree(_ email: String, but user: Key? = nil) throws {
    if try database.accounts(withEmail: email).contains(where: { $0.account.user != user }) {
      throw TreeError(
        .emailAlreadyInUse, "an account with the email \(email) is here already",
        advice: "Log in with it, or sign up with another email.")
    }
  }

  private static func newEntry(email: String, username: String, image: Blob?) throws(TreeError) -> NewValue {
    var members: [NewValue.Member] = []
    func add(_ name: String, _ text: String) throws(TreeError) {
      members.append(NewValue.Member(try Key(name), NewValue(Scalar.string(text))))
    }
    try add(Profile.Field.provider, "password")
    try add(Profile.Field.email, email)
    try add(Profile.Field.username, username)
    if let image { try add(Profile.Field.profileImageName, image.name) }
    members.append(NewValue.Member(try Key(Profile.Field.createdAt), .timestamp))
    return NewValue(members: members)
  }
}
