package import OfflineTree

/// The keys of a device that a test owns.
package struct TestDevice: Sendable {
  package let signingKey: SigningKey
  /// The X25519 public key with which others seal for it.
  package let boxKey: Bytes32
  private let seed: [UInt8]

  /// - Parameter seed: Any bytes; the same keys follow from the same ones.
  package init(seed: [UInt8]) {
    self.seed = seed
    var signing = Sodium.hash32(Array("test device's signing key".utf8) + seed).bytes
    signingKey = SigningKey(seed: Secret(&signing))
    boxKey = Sodium.boxPublicKey(TestDevice.boxSecret(seed))
  }

  package init(_ number: UInt64) {
    self.init(seed: (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }

  /// The Ed25519 public key, by which the device is known.
  package var key: Bytes32 { signingKey.publicKey }

  /// The secret half of its box key.
  package func boxSecret() -> Secret { TestDevice.boxSecret(seed) }

  private static func boxSecret(_ seed: [UInt8]) -> Secret {
    var secret = Sodium.hash32(Array("test device's box key".utf8) + seed).bytes
    return Secret(&secret)
  }
}

/// An invite that a test owns: what its line holds, and what registers it.
package struct RawInvite: Sendable {
  private let seed: [UInt8]
  private let key: SigningKey
  package let role: Role

  /// - Parameter seed: 32 bytes.
  package init(seed: [UInt8], role: Role = .member) {
    self.seed = seed
    self.role = role
    var secret = seed
    key = Invite.signingKey(Secret(&secret))
  }

  package var publicKey: Bytes32 { key.publicKey }

  /// What registers it.
  package var operation: ControlOperation {
    .invite(ControlOperation.InviteTerms(publicKey: publicKey, role: role))
  }

  /// How the first log of a device that came by it is introduced.
  package func standing(of device: TestDevice, space: SpaceID, random: Bytes16) -> Introduction.Standing {
    let message = Introduction.joinMessage(
      space: space, deviceKey: device.key, boxKey: device.boxKey, random: random)
    return .join(invite: publicKey, key.sign(message))
  }

  /// What a person is given, with the key of the space's first epoch.
  package func invite(space: SpaceID, epochKey: [UInt8], registration: Record?) throws(TreeError) -> Invite {
    var (secret, epoch) = (seed, epochKey)
    return try Invite(
      spaceID: space, seed: Secret(&secret), epochKey: Secret(&epoch),
      registration: Invite.Registration(
        log: registration?.log ?? .zero, seq: registration?.seq ?? 0, hash: registration?.hash.prefix16 ?? .zero),
      addresses: [])
  }
}
