package import OfflineTree

/// The keys of a person that a test owns, and what they sign. No password is behind the box.
package struct TestPerson: Sendable {
  package let user: Key
  package let space: SpaceID
  package let email: String
  package private(set) var username: String
  package let key: SigningKey
  package let recovery: SigningKey
  private let random: Bytes16

  package init(_ name: String, space: SpaceID, email: String? = nil) {
    self.space = space
    username = name
    self.email = email ?? "\(name)@example.org"
    key = TestPerson.key("key of \(name)")
    recovery = TestPerson.key("recovery of \(name)")
    random = Sodium.hash16(Array("account of \(name)".utf8))
    user = Account.userID(space: space, publicKey: key.publicKey, random: random)
  }

  /// The same person under another name.
  package func named(_ username: String) -> TestPerson {
    var copy = self
    copy.username = username
    return copy
  }

  package static func key(_ text: String) -> SigningKey {
    var seed = Sodium.hash32(Array(text.utf8)).bytes
    return SigningKey(seed: Secret(&seed))
  }

  package func account(version: UInt64 = 0, key: SigningKey? = nil, recovery: SigningKey? = nil) -> Account {
    Account(
      user: user, version: version, email: email, username: username,
      publicKey: (key ?? self.key).publicKey, recoveryKey: (recovery ?? self.recovery).publicKey, profile: 1,
      salt: .zero, nonce: [UInt8](repeating: 1, count: 24), box: [UInt8](repeating: 2, count: Account.boxBytes))
  }

  /// What makes the account, on a device.
  package func signUp(on device: TestDevice) -> ControlOperation {
    let account = account()
    let message = NewAccount.message(account, random: random, space: space, device: device.key)
    return .account(NewAccount(account, random: random, signature: key.sign(message)))
  }

  package func grant(to device: TestDevice, by key: SigningKey? = nil, number: UInt8 = 0) -> SessionGrant {
    let key = key ?? self.key
    let random = Bytes16([UInt8](repeating: number, count: 16))
    let message = SessionGrant.message(
      user: user, publicKey: key.publicKey, random: random, space: space, device: device.key)
    return SessionGrant(user: user, publicKey: key.publicKey, random: random, signature: key.sign(message))
  }

  /// "This device may act as me."
  package func logIn(on device: TestDevice, by key: SigningKey? = nil, number: UInt8 = 0) -> ControlOperation {
    .session(grant(to: device, by: key, number: number))
  }

  /// The end of such a log-in.
  package func logOut(of device: TestDevice, by key: SigningKey? = nil, number: UInt8 = 0) -> ControlOperation {
    .end(.session(user: user, grant(to: device, by: key, number: number).id(space: space, device: device.key)))
  }

  /// The next state of the account.
  ///
  /// - Parameters:
  ///   - previous: The key of the state before.
  ///   - signer: Who signs: that key, or the recovery key.
  package func rekey(
    to new: SigningKey, version: UInt64 = 1, from previous: SigningKey? = nil, by signer: SigningKey? = nil,
    recovery: SigningKey? = nil, on device: TestDevice
  ) -> ControlOperation {
    let previous = previous ?? key
    let signer = signer ?? previous
    let account = account(version: version, key: new, recovery: recovery)
    let message = Rekey.message(
      account, previous: previous.publicKey, signer: signer.publicKey, space: space, device: device.key)
    return .rekey(
      Rekey(
        account, previous: previous.publicKey, signer: signer.publicKey, signature: signer.sign(message),
        proof: new.sign(message)))
  }
}
