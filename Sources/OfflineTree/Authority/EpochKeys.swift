/// The key of an epoch, and the keys that are derived from it, one for each purpose.
///
/// ```
/// epoch id  H16(key K, "OT epoch 1" ‖ space id)
/// subkeys   crypto_kdf(K, "OTepoch1"): 1 body · 2 header · 3 names · 4 TLS pre-shared key · 5 TLS identity · 6 nonces
///           7 checkpoints and blobs · 8 names of blobs · 9 lockbox
/// ```
package final class EpochKeys: Sendable {
  package let id: EpochID
  package let space: SpaceID
  package let key: Secret
  /// Seals the bodies of segments and acknowledgements.
  package let body: Secret
  /// Seals the headers of segments.
  package let header: Secret
  /// Gives files their names.
  package let names: Secret
  package let preSharedKey: Secret
  /// Marks an identity of TLS as one of this epoch.
  package let identity: Secret
  package let nonces: Secret
  /// Seals the keys of the epochs before this one.
  package let lockbox: Secret

  package init(_ key: consuming Secret, space: SpaceID) {
    precondition(key.count == 32, "an epoch's key has 32 bytes")
    self.space = space
    id = Bytes16(Sodium.keyedHash(Array("OT epoch 1".utf8) + space.bytes, key, count: 16))
    body = EpochKeys.subkey(1, key)
    header = EpochKeys.subkey(2, key)
    names = EpochKeys.subkey(3, key)
    preSharedKey = EpochKeys.subkey(4, key)
    identity = EpochKeys.subkey(5, key)
    nonces = EpochKeys.subkey(6, key)
    lockbox = EpochKeys.subkey(9, key)
    self.key = key
  }

  private static func subkey(_ number: UInt64, _ key: borrowing Secret) -> Secret {
    Sodium.deriveKey(key, "OTepoch1", number)
  }

  /// H24(key 6, 32 random bytes ‖ head ‖ hash of the plaintext): a copied machine repeats its randomness, and must not
  /// repeat a nonce over other bytes.
  package func nonce(random: [UInt8], head: Bytes32, plaintextHash: Bytes32) -> [UInt8] {
    Sodium.keyedHash(random + head.bytes + plaintextHash.bytes, nonces, count: Sodium.nonceBytes)
  }

  /// A name that says nothing to whoever lacks the key: 32 hexadecimal digits.
  package func name(of content: [UInt8]) -> String { hexadecimal(Sodium.keyedHash(content, names, count: 16)) }
}
