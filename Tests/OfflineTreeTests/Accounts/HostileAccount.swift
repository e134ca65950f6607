import TestSupport

@testable import OfflineTree

/// Accounts as a changed program may write them.
enum HostileAccount {
  @discardableResult
  static func write(
    _ database: Database, email: String, profile: UInt8 = 1, boxUnder password: String = PeopleFleet.password,
    isOwnSeed: Bool = false, recoveryKey: Bytes32 = .zero
  ) throws -> Key {
    let opening = try Sodium.passwordKey(Password(text: password).secret, salt: .zero, .smallest)
    return try write(
      database, email: email, profile: profile, opening: opening, isOwnSeed: isOwnSeed, recoveryKey: recoveryKey)
  }

  @discardableResult
  static func write(
    _ database: Database, email: String, profile: UInt8, opening: borrowing Secret, isOwnSeed: Bool,
    recoveryKey: Bytes32 = .zero
  ) throws -> Key {
    var seed = database.environment.randomBytes(32)
    let sealed = isOwnSeed ? seed : [UInt8](repeating: 9, count: 32)
    let key = SigningKey(seed: Secret(&seed))
    let (random, nonce) = (Bytes16(database.environment.randomBytes(16)), [UInt8](repeating: 1, count: 24))
    let user = Account.userID(space: database.spaceID, publicKey: key.publicKey, random: random)
    func account(_ box: [UInt8]) -> Account {
      Account(
        user: user, version: 0, email: email, username: "Eve", publicKey: key.publicKey, recoveryKey: recoveryKey,
        profile: profile, salt: .zero, nonce: nonce, box: box)
    }
    let made = account(Sodium.seal(sealed, nonce: nonce, additional: account([]).header, opening))
    let message = NewAccount.message(made, random: random, space: database.spaceID, device: database.deviceKey)
    let grant = SessionGrant.message(
      user: user, publicKey: key.publicKey, random: .zero, space: database.spaceID, device: database.deviceKey)
    let session = SessionGrant(user: user, publicKey: key.publicKey, random: .zero, signature: key.sign(grant))
    let signature = key.sign(message)
    try database.write(as: user) { transaction in
      transaction.act(.account(NewAccount(made, random: random, signature: signature)))
      transaction.act(.session(session))
    }
    return user
  }

  /// The next state of an account, with a box that nothing opens.
  ///
  /// - Parameter sign: Who signs it, and the signature.
  static func rekey(
    _ before: Account, to key: SigningKey, _ database: Database, _ sign: ([UInt8]) -> (Bytes32, Signature)
  ) -> ControlOperation {
    let account = Account(
      user: before.user, version: before.version + 1, email: before.email, username: before.username,
      publicKey: key.publicKey, recoveryKey: before.recoveryKey, profile: before.profile, salt: .zero,
      nonce: before.nonce, box: before.box)
    let signer = sign([]).0
    let message = Rekey.message(
      account, previous: before.publicKey, signer: signer, space: database.spaceID, device: database.deviceKey)
    return .rekey(
      Rekey(
        account, previous: before.publicKey, signer: signer, signature: sign(message).1, proof: key.sign(message)))
  }
}
