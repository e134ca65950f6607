/// An Ed25519 signature (RFC 8032): 64 bytes.
package struct Signature: Hashable, Sendable {
  private let first: Bytes32
  private let second: Bytes32

  package static let byteCount = 64

  /// The first 64 of `bytes`, which has at least as many.
  package init(_ bytes: some Collection<UInt8>) {
    first = Bytes32(bytes.prefix(32))
    second = Bytes32(bytes.dropFirst(32))
  }

  package var bytes: [UInt8] { first.bytes + second.bytes }

  /// The point R.
  var point: Bytes32 { first }
}

/// What a signature is for: it goes into what is signed, so that none counts for anything else (docs/format.md).
package enum SignaturePurpose: String, Sendable {
  /// A log up to a change, by its device.
  case head
  /// A device's end of a connection.
  case channel
  /// A newcomer's device, by the invite's key.
  case join
  /// Control operations, by the owner-recovery key.
  case recovery
  /// A new account, by its user's key.
  case account
  /// A changed account, by the key before or the account's recovery key, and by the new one.
  case rekey
  /// A log-in of a device, by a user's key.
  case session
  /// What a home has, by its device.
  case acknowledge

  /// "OT ‹purpose› 1\0" ‖ space id ‖ content.
  package func message(_ space: SpaceID, _ content: [UInt8]) -> [UInt8] {
    Array("OT \(rawValue) 1\0".utf8) + space.bytes + content
  }
}
