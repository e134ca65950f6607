/// One state of an account, and the secret half of its user's key while somebody uses it.
///
/// Nothing of it is kept: the key is wiped with the last reference.
struct AccountKey: Sendable {
  let account: Account
  private let key: SigningKey

  /// What a new state says besides the key.
  struct Terms: Sendable {
    var version: UInt64
    var email: String
    var username: String
    var recoveryKey: Bytes32
    var profile: PasswordProfile
  }

  /// Draws a key pair, and seals its seed under the password.
  ///
  /// - Parameter user: From the public key to the user's id.
  /// - Throws: `unavailable` if there is no memory for the profile.
  init(
    sealing terms: Terms, _ password: Password, environment: Environment, user: (Bytes32) -> Key
  ) throws(TreeError) {
    var seed = environment.randomBytes(32)
    defer { Sodium.wipe(&seed) }
    // A copy of its own: to wipe one leaves the other.
    var taken = seed.map { $0 }
    let key = SigningKey(seed: Secret(&taken))
    func state(box: [UInt8], salt: Bytes16, nonce: [UInt8]) -> Account {
      Account(
        user: user(key.publicKey), version: terms.version, email: terms.email, username: terms.username,
        publicKey: key.publicKey, recoveryKey: terms.recoveryKey, profile: terms.profile.rawValue, salt: salt,
        nonce: nonce, box: box)
    }
    let (salt, nonce) = (Bytes16(environment.randomBytes(16)), environment.randomBytes(Sodium.nonceBytes))
    let open = state(box: [], salt: salt, nonce: nonce)
    let sealing = try Sodium.passwordKey(password.secret, salt: salt, terms.profile)
    let box = Sodium.seal(seed, nonce: nonce, additional: open.header, sealing)
    account = state(box: box, salt: salt, nonce: nonce)
    self.key = key
  }

  /// Opens the box of an account.
  ///
  /// - Returns: Nil if it does not open, or if what is in it is not the account's key: a box can be made that opens
  ///   under several passwords, and only one of them can give the key. A profile that is not in the list costs nothing.
  /// - Throws: `unavailable` if there is no memory for the profile.
  init?(opening account: Account, _ password: Password) throws(TreeError) {
    guard let profile = PasswordProfile(rawValue: account.profile) else { return nil }
    let opening = try Sodium.passwordKey(password.secret, salt: account.salt, profile)
    guard
      var seed = Sodium.open(account.box[...], nonce: account.nonce, additional: account.header, opening)
    else { return nil }
    defer { Sodium.wipe(&seed) }
    guard seed.count == 32 else { return nil }
    key = SigningKey(seed: Secret(&seed))
    if key.publicKey != account.publicKey { return nil }
    self.account = account
  }

  /// For the device that makes the account.
  func newAccount(random: Bytes16, space: SpaceID, device: Bytes32) -> ControlOperation {
    let message = NewAccount.message(account, random: random, space: space, device: device)
    return .account(NewAccount(account, random: random, signature: key.sign(message)))
  }

  /// The step from an older state to this one, signed by the older one's key.
  func rekey(from previous: AccountKey, space: SpaceID, device: Bytes32) -> ControlOperation {
    rekey(from: previous.account.publicKey, by: previous.account.publicKey, space, device) { previous.key.sign($0) }
  }

  /// The same, signed by the recovery code.
  func rekey(
    from previous: Account, by code: RecoveryCode, space: SpaceID, device: Bytes32
  ) -> ControlOperation {
    rekey(from: previous.publicKey, by: code.publicKey, space, device) { code.sign($0) }
  }

  private func rekey(
    from previous: Bytes32, by signer: Bytes32, _ space: SpaceID, _ device: Bytes32, _ sign: ([UInt8]) -> Signature
  ) -> ControlOperation {
    let message = Rekey.message(account, previous: previous, signer: signer, space: space, device: device)
    return .rekey(
      Rekey(account, previous: previous, signer: signer, signature: sign(message), proof: key.sign(message)))
  }

  /// "The device may act as me."
  func session(random: Bytes16, space: SpaceID, device: Bytes32) -> SessionGrant {
    let message = SessionGrant.message(
      user: account.user, publicKey: account.publicKey, random: random, space: space, device: device)
    return SessionGrant(
      user: account.user, publicKey: account.publicKey, random: random, signature: key.sign(message))
  }
}
