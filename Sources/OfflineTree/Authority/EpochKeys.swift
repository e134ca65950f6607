/// The key of an epoch, and the keys that are derived from it, one for each purpose.
///
/// ```
/// epoch id  H16(key K, "OT epoch 1" ‖ space id)
/// subkeys   crypto_kdf(K, "OTepoch1"): 1 body · 2 header · 3 names · 4 TLS pre-shared key · 5 TLS identity · 6 nonces
///           7 bodies of parts of checkpoints and chunks · 8 names of chunks · 9 lockbox
/// ```
package final class EpochKeys: Sendable {
  package let id: EpochID
  package let space: SpaceID
  package let key: Secret

  package init(_ key: consuming Secret, space: SpaceID) {
    precondition(key.count == 32, "an epoch's key has 32 bytes")
    self.space = space
    id = Bytes16(Sodium.keyedHash(Array("OT epoch 1".utf8) + space.bytes, key, count: 16))
    self.key = key
  }

  // Derived when they are needed: locked memory is scarce, and a space may have had many epochs.

  /// Seals the bodies of segments and acknowledgements.
  package var body: Secret { subkey(1) }
  /// Seals the headers of segments, of parts of checkpoints and of chunks.
  package var header: Secret { subkey(2) }
  /// Gives files their names.
  package var names: Secret { subkey(3) }
  package var preSharedKey: Secret { subkey(4) }
  /// Marks an identity of TLS as one of this epoch.
  package var identity: Secret { subkey(5) }
  package var nonces: Secret { subkey(6) }
  /// Seals the bodies of parts of checkpoints, and chunks.
  package var checkpoints: Secret { subkey(7) }
  /// Gives files of chunks their names.
  package var chunkNames: Secret { subkey(8) }
  /// Seals the keys of other epochs.
  package var lockbox: Secret { subkey(9) }

  private func subkey(_ number: UInt64) -> Secret { Sodium.deriveKey(key, "OTepoch1", number) }

  /// H24(key 6, 32 random bytes ‖ head ‖ hash of the plaintext): a copied machine repeats its randomness, and must not
  /// repeat a nonce over other bytes.
  package func nonce(random: [UInt8], head: Bytes32, plaintextHash: Bytes32) -> [UInt8] {
    Sodium.keyedHash(random + head.bytes + plaintextHash.bytes, nonces, count: Sodium.nonceBytes)
  }

  /// A name that says nothing to whoever lacks the key: 32 hexadecimal digits.
  package func name(of content: [UInt8]) -> String { hexadecimal(Sodium.keyedHash(content, names, count: 16)) }
}
