internal import CSodium

/// Ed25519, as strictly as every device has to judge it.
extension Sodium {
  /// Is this 32 bytes long encoding one of a point that can be a public key: canonical, on the curve, of the main
  /// subgroup?
  package static func isValidPoint(_ point: Bytes32) -> Bool {
    precondition(started)
    return unsafe withUnsafeBytes(of: point) {
      unsafe crypto_core_ed25519_is_valid_point($0.bindMemory(to: UInt8.self).baseAddress!) == 1
    }
  }

  /// Signs with a secret key of 64 bytes.
  package static func sign(_ message: [UInt8], _ secretKey: borrowing Secret) -> Signature {
    precondition(started)
    precondition(secretKey.count == 64, "a signing key has 64 bytes")
    var bytes = [UInt8](repeating: 0, count: Signature.byteCount)
    unsafe secretKey.withBytes { key in
      _ = unsafe crypto_sign_detached(
        &bytes, nil, message, UInt64(message.count), key.bindMemory(to: UInt8.self).baseAddress!)
    }
    return Signature(bytes)
  }

  /// Does the signature count?
  ///
  /// Only if libsodium accepts it and R is a valid point: releases of libsodium disagree on crafted signatures otherwise,
  /// and replicas that disagree diverge. The public key was held against `isValidPoint` when it was introduced.
  package static func isValid(_ signature: Signature, of message: [UInt8], by publicKey: Bytes32) -> Bool {
    guard isValidPoint(signature.point) else { return false }
    return unsafe withUnsafeBytes(of: publicKey) { key in
      unsafe crypto_sign_verify_detached(
        signature.bytes, message, UInt64(message.count), key.bindMemory(to: UInt8.self).baseAddress!) == 0
    }
  }

  /// The same for a key that nobody has looked at yet.
  package static func isValid(_ signature: Signature, of message: [UInt8], byUnknown publicKey: Bytes32) -> Bool {
    isValidPoint(publicKey) && isValid(signature, of: message, by: publicKey)
  }
}
