public import OfflineTree

/// What seals a backup, and opens it.
public enum BackupSecret: Sendable {
  /// As a person chooses and types it.
  case password(Password)
  /// Drawn by the program, for paper.
  case code(RecoveryCode)

  /// How a backup is sealed, as anybody can see of its file.
  public enum Kind: UInt8, Sendable {
    case password = 1
    case code = 2
  }

  var kind: Kind {
    switch self {
    case .password: .password
    case .code: .code
    }
  }
}

/// The keys of one backup, which follow from its secret and its salt.
final class BackupKeys: Sendable {
  private let sealing: Secret
  private let nonces: Secret

  /// Takes a second with a password. Not for the cooperative pool.
  /// - Throws: `unavailable` if there is no memory for it.
  init(_ secret: BackupSecret, _ header: BackupHeader) throws(TreeError) {
    let master =
      switch secret {
      case .password(let password):
        try Sodium.passwordKey(password.secret, salt: header.salt, header.profile ?? .standard)
      case .code(let code): code.sealingKey(salt: header.salt)
      }
    sealing = Sodium.deriveKey(master, "OTbackup", 1)
    nonces = Sodium.deriveKey(master, "OTbackup", 2)
  }

  func seal(_ content: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8] {
    Sodium.seal(content, nonce: nonce, additional: additional, sealing)
  }

  func open(_ sealed: [UInt8], nonce: [UInt8], additional: [UInt8]) -> [UInt8]? {
    Sodium.open(sealed[...], nonce: nonce, additional: additional, sealing)
  }

  /// No nonce serves two contents, also where a machine that was copied repeats its randomness.
  func nonce(random: [UInt8], number: UInt64, _ content: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(random)
    writer.u64(number)
    writer.append(Sodium.hash32(content))
    return Sodium.keyedHash(writer.bytes, nonces, count: Sodium.nonceBytes)
  }
}
