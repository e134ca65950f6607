internal import CSodium

/// What a guess at a password costs: a closed list, so that no record can ask for more.
package enum PasswordProfile: UInt8, Sendable, CaseIterable {
  /// 19 MiB, 2 passes: the least that is worth anything.
  case smallest = 1
  /// 256 MiB, 3 passes.
  case standard = 2

  package var memoryBytes: Int {
    switch self {
    case .smallest: 19 << 20
    case .standard: 256 << 20
    }
  }

  package var passes: UInt64 {
    switch self {
    case .smallest: 2
    case .standard: 3
    }
  }
}

extension Sodium {
  /// The key of 32 bytes that a password gives: Argon2id 1.3 with one lane.
  ///
  /// Takes a second and a quarter of a GiB with the standard profile, and one call at a time is let in, so that many
  /// log-ins at once do not take all memory. Not for the cooperative pool.
  /// - Throws: `unavailable` if there is no memory for it.
  package static func passwordKey(
    _ password: borrowing Secret, salt: Bytes16, _ profile: PasswordProfile
  ) throws(TreeError) -> Secret {
    precondition(started)
    var key = [UInt8](repeating: 0, count: 32)
    let salt = salt.bytes
    let code = unsafe password.withBytes { password in
      evaluation.withLock { _ in
        unsafe crypto_pwhash(
          &key, 32, password.bindMemory(to: CChar.self).baseAddress!, UInt64(password.count), salt, profile.passes,
          profile.memoryBytes, crypto_pwhash_alg_argon2id13())
      }
    }
    if code != 0 {
      wipe(&key)
      throw TreeError(
        .unavailable, "there are no \(profile.memoryBytes >> 20) MiB of memory to check a password with",
        advice: "Close other programs and try again.")
    }
    return Secret(&key)
  }

  // Not empty: what has no bytes stands where others stand, and the thread sanitizer takes it for them.
  private static let evaluation = Monitor(false)
}
