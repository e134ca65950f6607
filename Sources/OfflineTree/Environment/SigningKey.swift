/// An Ed25519 key pair whose secret half stays in locked memory.
package final class SigningKey: Sendable {
  package let publicKey: Bytes32
  private let secretKey: Secret

  /// The pair of a seed of 32 bytes (RFC 8032).
  package init(seed: borrowing Secret) {
    var open = seed.copyBytes()
    var pair = Sodium.signingKeyPair(seed: open)
    Sodium.wipe(&open)
    publicKey = pair.publicKey
    secretKey = Secret(&pair.secretKey)
  }

  package func sign(_ message: [UInt8]) -> Signature { Sodium.sign(message, secretKey) }
}
