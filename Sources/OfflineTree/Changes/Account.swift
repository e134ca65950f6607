/// One state of a person's account: who it is, and the box that the password opens (docs/accounts.md).
///
/// Everybody in the space holds it; the secret half of the user's key is in the box alone.
package struct Account: Hashable, Sendable {
  /// 28 characters of base 62, by which the person is known for ever.
  package let user: Key
  /// 0 at the sign-up; every new password, email or username makes it one more.
  package let version: UInt64
  /// Trimmed and in lower case; self-asserted.
  package let email: String
  package let username: String
  /// The Ed25519 key with which the person says which devices may act for them.
  package let publicKey: Bytes32
  /// The public half of the key that the recovery code gives.
  package let recoveryKey: Bytes32
  /// What the password costs: a number of a closed list.
  package let profile: UInt8
  package let salt: Bytes16
  /// 24 bytes.
  package let nonce: [UInt8]
  /// The seed of the user's key, sealed under what the password gives; everything before it is authenticated.
  package let box: [UInt8]

  package static let boxBytes = 32 + Sodium.tagBytes

  package init(
    user: Key, version: UInt64, email: String, username: String, publicKey: Bytes32, recoveryKey: Bytes32,
    profile: UInt8, salt: Bytes16, nonce: [UInt8], box: [UInt8]
  ) {
    (self.user, self.version, self.email, self.username) = (user, version, email, username)
    (self.publicKey, self.recoveryKey, self.profile) = (publicKey, recoveryKey, profile)
    (self.salt, self.nonce, self.box) = (salt, nonce, box)
  }

  /// The id of the account that a key and 16 random bytes make: H20("OT uid 1" ‖ space id ‖ key ‖ random) as a number in
  /// base 62, most significant digit first.
  package static func userID(space: SpaceID, publicKey: Bytes32, random: Bytes16) -> Key {
    let hash = Sodium.hash20(Array("OT uid 1".utf8) + space.bytes + publicKey.bytes + random.bytes)
    return Key(trusted: Base62.encode(hash, count: userIDLength))
  }

  package static let userIDLength = 28

  package static func isUserID(_ key: Key) -> Bool {
    key.text.utf8.count == userIDLength && key.text.utf8.allSatisfy(Base62.isDigit)
  }

  /// What the box authenticates: everything before it.
  package var header: [UInt8] {
    var writer = ByteWriter(capacity: 256)
    encodeHeader(to: &writer)
    return writer.bytes
  }

  private func encodeHeader(to writer: inout ByteWriter) {
    writer.append(Array(user.text.utf8))
    writer.varint(version)
    writer.prefixed(email)
    writer.prefixed(username)
    writer.append(publicKey)
    writer.append(recoveryKey)
    writer.u8(profile)
    writer.append(salt)
    writer.append(nonce)
  }

  func encode(to writer: inout ByteWriter) {
    encodeHeader(to: &writer)
    writer.append(box)
  }

  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 320)
    encode(to: &writer)
    return writer.bytes
  }

  static func decode(_ reader: inout ByteReader, _ content: inout ContentReader) throws(TreeError) -> Account {
    let user = content.userID(try reader.bytes(userIDLength, "user's id"))
    let version = try reader.varint("account's version")
    let email = try text(&reader, "email")
    if !Email.isNormal(email) { content.note("\"\(email)\" is no email in normal form") }
    let username = try text(&reader, "username")
    if let problem = Username.problem(username) { content.note(problem) }
    return Account(
      user: user, version: version, email: email, username: username, publicKey: try reader.bytes32("user's key"),
      recoveryKey: try reader.bytes32("account's recovery key"), profile: try reader.u8("profile"),
      salt: try reader.bytes16("salt"), nonce: Array(try reader.bytes(Sodium.nonceBytes, "nonce")),
      box: Array(try reader.bytes(boxBytes, "box")))
  }

  private static func text(_ reader: inout ByteReader, _ what: StaticString) throws(TreeError) -> String {
    let bytes = try reader.prefixed(what, limit: reader.remaining)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw reader.damaged(what, "is not valid UTF-8")
    }
    return text
  }
}

/// A new account, as its person signs it.
package struct NewAccount: Hashable, Sendable {
  package let account: Account
  /// What makes the id, with the key.
  package let random: Bytes16
  /// By the user's key.
  package let signature: Signature

  package init(_ account: Account, random: Bytes16, signature: Signature) {
    (self.account, self.random, self.signature) = (account, random, signature)
  }

  /// The device that makes it is signed for: nobody else can bring the same record as theirs.
  package static func message(_ account: Account, random: Bytes16, space: SpaceID, device: Bytes32) -> [UInt8] {
    SignaturePurpose.account.message(space, device.bytes + random.bytes + account.encoded)
  }

  func fault(space: SpaceID, device: Bytes32) -> String? {
    if account.version != 0 { return "a new account has the version \(account.version)" }
    if account.publicKey == account.recoveryKey { return "an account's two keys are one" }
    if account.user != Account.userID(space: space, publicKey: account.publicKey, random: random) {
      return "the account's id is not that of its key"
    }
    let message = NewAccount.message(account, random: random, space: space, device: device)
    return Sodium.isValid(signature, of: message, byUnknown: account.publicKey)
      ? nil : "the user's key has not signed the account for this device"
  }
}

/// The next state of an account: another password, email or name, or what a recovery code has set.
package struct Rekey: Hashable, Sendable {
  package let account: Account
  /// The user's key of the state before; it ends with this.
  package let previous: Bytes32
  /// The key of the state before, or its recovery key.
  package let signer: Bytes32
  package let signature: Signature
  /// By the new key: nobody puts down a key that they do not have.
  package let proof: Signature

  package init(_ account: Account, previous: Bytes32, signer: Bytes32, signature: Signature, proof: Signature) {
    (self.account, self.previous, self.signer) = (account, previous, signer)
    (self.signature, self.proof) = (signature, proof)
  }

  package static func message(
    _ account: Account, previous: Bytes32, signer: Bytes32, space: SpaceID, device: Bytes32
  ) -> [UInt8] {
    SignaturePurpose.rekey.message(space, device.bytes + previous.bytes + signer.bytes + account.encoded)
  }

  func fault(space: SpaceID, device: Bytes32) -> String? {
    if account.version == 0 { return "a changed account has the version 0" }
    if account.publicKey == account.recoveryKey || account.publicKey == previous { return "an account's keys are one" }
    let message = Rekey.message(account, previous: previous, signer: signer, space: space, device: device)
    if !Sodium.isValid(signature, of: message, byUnknown: signer) { return "nobody has signed the changed account" }
    return Sodium.isValid(proof, of: message, byUnknown: account.publicKey)
      ? nil : "the new user's key has not signed the changed account"
  }
}

/// What a person's key signs when they log in: "this device may act as me".
package struct SessionGrant: Hashable, Sendable {
  package let user: Key
  package let publicKey: Bytes32
  package let random: Bytes16
  package let signature: Signature

  package init(user: Key, publicKey: Bytes32, random: Bytes16, signature: Signature) {
    (self.user, self.publicKey, self.random, self.signature) = (user, publicKey, random, signature)
  }

  /// H16("OT session 1" ‖ space id ‖ user ‖ user's key ‖ device ‖ random): nobody can make another's.
  package func id(space: SpaceID, device: Bytes32) -> Bytes16 {
    Sodium.hash16(
      Array("OT session 1".utf8) + space.bytes + Array(user.text.utf8) + publicKey.bytes + device.bytes + random.bytes)
  }

  package static func message(
    user: Key, publicKey: Bytes32, random: Bytes16, space: SpaceID, device: Bytes32
  ) -> [UInt8] {
    SignaturePurpose.session.message(
      space, Array(user.text.utf8) + publicKey.bytes + device.bytes + random.bytes)
  }

  func fault(space: SpaceID, device: Bytes32) -> String? {
    let message = SessionGrant.message(
      user: user, publicKey: publicKey, random: random, space: space, device: device)
    return Sodium.isValid(signature, of: message, byUnknown: publicKey)
      ? nil : "the user's key has not signed the log-in for this device"
  }
}
