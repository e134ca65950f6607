internal import CSodium

/// Key derivation, keyed hashes, XChaCha20-Poly1305, and boxes that only one device can open.
extension Sodium {
  /// Subkey `number` of a key of 32 bytes (libsodium's `crypto_kdf`); `context` has 8 characters.
  package static func deriveKey(
    _ key: borrowing Secret, _ context: StaticString, _ number: UInt64, count: Int = 32
  ) -> Secret {
    precondition(started)
    precondition(context.utf8CodeUnitCount == 8, "a context has 8 characters")
    let context = context.withUTF8Buffer { unsafe $0.map { CChar($0) } }
    return unsafe key.withBytes { key in
      unsafe Secret(count: count) { target in
        _ = unsafe crypto_kdf_derive_from_key(
          target.bindMemory(to: UInt8.self).baseAddress!, count, number, context,
          key.bindMemory(to: UInt8.self).baseAddress!)
      }
    }
  }

  /// BLAKE2b of `count` bytes (16 to 64) under a key.
  package static func keyedHash(_ bytes: [UInt8], _ key: borrowing Secret, count: Int) -> [UInt8] {
    precondition(started)
    var out = [UInt8](repeating: 0, count: count)
    unsafe key.withBytes { key in
      _ = unsafe crypto_generichash(
        &out, count, bytes, UInt64(bytes.count), key.bindMemory(to: UInt8.self).baseAddress!, key.count)
    }
    return out
  }

  package static let nonceBytes = 24
  package static let tagBytes = 16

  /// XChaCha20-Poly1305 (libsodium's IETF variant): `plain`, and a tag of 16 bytes over it and `additional`.
  package static func seal(
    _ plain: [UInt8], nonce: [UInt8], additional: [UInt8], _ key: borrowing Secret
  ) -> [UInt8] {
    precondition(started)
    precondition(nonce.count == nonceBytes && key.count == 32)
    return unsafe [UInt8](unsafeUninitializedCapacity: plain.count + tagBytes) { out, count in
      unsafe key.withBytes { key in
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          out.baseAddress!, nil, plain, UInt64(plain.count), additional, UInt64(additional.count), nil, nonce,
          key.bindMemory(to: UInt8.self).baseAddress!)
      }
      count = plain.count + tagBytes
    }
  }

  /// What was sealed, or nil if a bit of it, of the nonce, of `additional` or of the key differs.
  package static func open(
    _ sealed: ArraySlice<UInt8>, nonce: [UInt8], additional: [UInt8], _ key: borrowing Secret
  ) -> [UInt8]? {
    precondition(started)
    precondition(nonce.count == nonceBytes && key.count == 32)
    guard sealed.count >= tagBytes else { return nil }
    var isOpen = false
    let plain = unsafe [UInt8](unsafeUninitializedCapacity: sealed.count) { out, count in
      unsafe sealed.withUnsafeBytes { sealed in
        unsafe key.withBytes { key in
          let code = unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
            out.baseAddress!, nil, nil, sealed.bindMemory(to: UInt8.self).baseAddress!, UInt64(sealed.count),
            additional, UInt64(additional.count), nonce, key.bindMemory(to: UInt8.self).baseAddress!)
          isOpen = code == 0
        }
      }
      count = isOpen ? sealed.count - tagBytes : 0
    }
    return isOpen ? plain : nil
  }

  package static let boxOverhead = 48

  /// The X25519 public key of a secret key of 32 bytes.
  package static func boxPublicKey(_ secretKey: borrowing Secret) -> Bytes32 {
    precondition(started)
    precondition(secretKey.count == 32, "a box key has 32 bytes")
    var publicKey = [UInt8](repeating: 0, count: 32)
    unsafe secretKey.withBytes { key in
      _ = unsafe crypto_scalarmult_base(&publicKey, key.bindMemory(to: UInt8.self).baseAddress!)
    }
    return Bytes32(publicKey)
  }

  /// Seals for the holder of a box key (libsodium's `crypto_box_seal`); nil for a key that is none.
  package static func sealBox(_ message: [UInt8], to publicKey: Bytes32) -> [UInt8]? {
    precondition(started)
    var out = [UInt8](repeating: 0, count: message.count + boxOverhead)
    let code = unsafe crypto_box_seal(&out, message, UInt64(message.count), publicKey.bytes)
    return code == 0 ? out : nil
  }

  /// Opens what was sealed for this key pair, or nil.
  package static func openBox(_ sealed: [UInt8], _ publicKey: Bytes32, _ secretKey: borrowing Secret) -> [UInt8]? {
    precondition(started)
    guard sealed.count >= boxOverhead else { return nil }
    var out = [UInt8](repeating: 0, count: sealed.count - boxOverhead)
    let code = unsafe secretKey.withBytes { key in
      unsafe crypto_box_seal_open(
        &out, sealed, UInt64(sealed.count), publicKey.bytes, key.bindMemory(to: UInt8.self).baseAddress!)
    }
    return code == 0 ? out : nil
  }
}
