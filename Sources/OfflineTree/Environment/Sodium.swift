internal import CSodium

/// The few primitives of libsodium that OfflineTree uses, with Swift types.
package enum Sodium {
  /// Starts libsodium; safe to touch from any thread, any number of times.
  static let started: Bool = {
    precondition(sodium_init() >= 0, "libsodium cannot start: the system has no source of randomness")
    return true
  }()

  package static func randomBytes(_ count: Int) -> [UInt8] {
    precondition(started)
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      if count > 0 { unsafe randombytes_buf(buffer.baseAddress!, count) }
      initialized = count
    }
  }

  /// BLAKE2b of 32 bytes (RFC 7693, unkeyed).
  package static func hash32(_ bytes: borrowing [UInt8]) -> Bytes32 {
    precondition(started)
    var out = Bytes32.zero
    unsafe withUnsafeMutableBytes(of: &out) { output in
      unsafe bytes.withUnsafeBytes { input in
        _ = unsafe crypto_generichash(
          output.bindMemory(to: UInt8.self).baseAddress!, 32, input.bindMemory(to: UInt8.self).baseAddress,
          UInt64(input.count), nil, 0)
      }
    }
    return out
  }

  /// BLAKE2b of 32 bytes over raw memory.
  package static func hash32(_ bytes: UnsafeRawBufferPointer) -> Bytes32 {
    precondition(started)
    var out = Bytes32.zero
    unsafe withUnsafeMutableBytes(of: &out) { output in
      _ = unsafe crypto_generichash(
        output.bindMemory(to: UInt8.self).baseAddress!, 32, bytes.bindMemory(to: UInt8.self).baseAddress,
        UInt64(bytes.count), nil, 0)
    }
    return out
  }

  /// BLAKE2b of 32 bytes under a key that is no secret of this device alone.
  package static func keyedHash32(_ bytes: [UInt8], key: Bytes32) -> Bytes32 {
    precondition(started)
    var out = [UInt8](repeating: 0, count: 32)
    let key = key.bytes
    _ = unsafe crypto_generichash(&out, 32, bytes, UInt64(bytes.count), key, key.count)
    return Bytes32(out)
  }

  /// BLAKE2b of 16 bytes, a hash function of its own and not a prefix of `hash32`.
  package static func hash16(_ bytes: borrowing [UInt8]) -> Bytes16 {
    precondition(started)
    var out = Bytes16.zero
    unsafe withUnsafeMutableBytes(of: &out) { output in
      unsafe bytes.withUnsafeBytes { input in
        _ = unsafe crypto_generichash(
          output.bindMemory(to: UInt8.self).baseAddress!, 16, input.bindMemory(to: UInt8.self).baseAddress,
          UInt64(input.count), nil, 0)
      }
    }
    return out
  }

  /// BLAKE2b of 20 bytes.
  package static func hash20(_ bytes: [UInt8]) -> [UInt8] {
    precondition(started)
    var out = [UInt8](repeating: 0, count: 20)
    _ = unsafe crypto_generichash(&out, 20, bytes, UInt64(bytes.count), nil, 0)
    return out
  }

  /// SipHash-2-4 of 8 bytes under a fixed key: finds accidents, authenticates nothing.
  package static func checksum(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    precondition(started)
    var out: UInt64 = 0
    unsafe withUnsafeMutableBytes(of: &out) { output in
      unsafe withUnsafeBytes(of: Self.fixedKey) { key in
        _ = unsafe crypto_shorthash_siphash24(
          output.bindMemory(to: UInt8.self).baseAddress!, bytes.bindMemory(to: UInt8.self).baseAddress,
          UInt64(bytes.count), key.bindMemory(to: UInt8.self).baseAddress!)
      }
    }
    return UInt64(littleEndian: out)
  }

  /// SipHash-2-4 of 16 bytes under a fixed key, as a number modulo 2^128.
  package static func checksum128(_ bytes: UnsafeRawBufferPointer) -> UInt128 {
    precondition(started)
    var out: UInt128 = 0
    unsafe withUnsafeMutableBytes(of: &out) { output in
      unsafe withUnsafeBytes(of: Self.fixedKey) { key in
        _ = unsafe crypto_shorthash_siphashx24(
          output.bindMemory(to: UInt8.self).baseAddress!, bytes.bindMemory(to: UInt8.self).baseAddress,
          UInt64(bytes.count), key.bindMemory(to: UInt8.self).baseAddress!)
      }
    }
    return UInt128(littleEndian: out)
  }

  /// The bytes of "OT checksum v0.0".
  private static let fixedKey = (UInt64(bigEndian: 0x4F54_2063_6865_636B), UInt64(bigEndian: 0x7375_6D20_7630_2E30))

  /// The Ed25519 key pair of a seed of 32 bytes (RFC 8032). The secret key is 64 bytes: the seed and the public key.
  package static func signingKeyPair(seed: [UInt8]) -> (publicKey: Bytes32, secretKey: [UInt8]) {
    precondition(started)
    precondition(seed.count == 32, "a signing key needs a seed of 32 bytes")
    var publicKey = Bytes32.zero
    var secretKey = [UInt8](repeating: 0, count: 64)
    unsafe withUnsafeMutableBytes(of: &publicKey) { output in
      _ = unsafe crypto_sign_seed_keypair(output.bindMemory(to: UInt8.self).baseAddress!, &secretKey, seed)
    }
    return (publicKey, secretKey)
  }
}
