/// What one person gives another so that a device can join a space: a line of text that `invite` prints.
///
/// Whoever holds the line can read everything in the space and join it, until the invite is ended; reading is for good.
/// The secrets lie in locked memory, the line itself does not: keep it no longer than it takes to show or read it.
/// Bytes: docs/format.md.
public final class Invite: Sendable {
  /// The change that registers the invite: a newcomer's introduction has it in its past.
  package struct Registration: Hashable, Sendable {
    package let log: LogID
    package let seq: UInt64
    /// The first 16 bytes of the change's hash.
    package let hash: Bytes16

    package init(log: LogID, seq: UInt64, hash: Bytes16) {
      self.log = log
      self.seq = seq
      self.hash = hash
    }
  }

  public let spaceID: SpaceID
  package let seed: Secret
  /// The key of the epoch in which the invite was made.
  package let epochKey: Secret
  package let registration: Registration
  /// Where devices of the space can be met: remotes as text, such as `tcp HOST:PORT`. Written by whoever made the
  /// invite: check them before use.
  public let addresses: [String]
  private let key: SigningKey

  /// - Throws: `limitExceeded` for too many addresses or too long ones, `invalidArgument` for an empty one or one that is
  ///   there twice.
  package init(
    spaceID: SpaceID, seed: consuming Secret, epochKey: consuming Secret, registration: Registration,
    addresses: [String]
  ) throws(TreeError) {
    precondition(seed.count == 32 && epochKey.count == 32, "an invite's secrets have 32 bytes")
    try Invite.check(addresses)
    self.spaceID = spaceID
    self.registration = registration
    self.addresses = addresses
    key = Invite.signingKey(seed)
    self.seed = seed
    self.epochKey = epochKey
  }

  /// The Ed25519 key of the invite that has this seed.
  package static func signingKey(_ seed: borrowing Secret) -> SigningKey {
    SigningKey(seed: Sodium.deriveKey(seed, "OTinvite", 1))
  }

  /// What the space knows the invite by.
  package var publicKey: Bytes32 { key.publicKey }

  package func sign(_ message: [UInt8]) -> Signature { key.sign(message) }

  private static func check(_ addresses: [String]) throws(TreeError) {
    if addresses.count > Limits.inviteAddresses {
      throw TreeError(
        .limitExceeded, "an invite has at most \(Limits.inviteAddresses) addresses, not \(addresses.count)",
        advice: "Give the most useful ones; others can be added after joining.")
    }
    for (index, address) in addresses.enumerated() {
      if addresses[..<index].contains(where: { $0.utf8.elementsEqual(address.utf8) }) {
        throw TreeError(.invalidArgument, "an address is in the invite twice: \(address)", advice: "Give it once.")
      }
      if address.isEmpty { throw TreeError(.invalidArgument, "an address of the invite is empty") }
      if address.utf8.count > Limits.inviteAddressBytes {
        throw TreeError(
          .limitExceeded,
          "an address of the invite has \(address.utf8.count) bytes, beyond \(Limits.inviteAddressBytes)",
          advice: "Use a shorter name.")
      }
    }
  }
}
