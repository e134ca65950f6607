package import OfflineTree

/// What the end that dials says of the key that it means, so that only who has the key can tell it from random bytes.
///
/// ```
/// 1  type: the key of an epoch
/// 16 nonce, new for each connection
/// 16 H16(the epoch's identity key, type ‖ nonce)
/// ```
package struct TLSIdentity: Equatable, Sendable {
  package static let byteCount = 33
  static let epochType: UInt8 = 1

  package let nonce: Bytes16
  let mark: Bytes16

  /// An identity for the key of an epoch.
  package init(_ epoch: EpochKeys, nonce: Bytes16) {
    self.nonce = nonce
    mark = Self.mark(epoch, nonce)
  }

  /// Nil for bytes that have no such form.
  package init?(_ bytes: some Collection<UInt8>) {
    guard bytes.count == Self.byteCount, bytes.first == Self.epochType else { return nil }
    nonce = Bytes16(bytes.dropFirst())
    mark = Bytes16(bytes.dropFirst(17))
  }

  package var bytes: [UInt8] { [Self.epochType] + nonce.bytes + mark.bytes }

  /// Is it one of this epoch?
  package func isOf(_ epoch: EpochKeys) -> Bool {
    // Without a branch on a byte of the mark: it is a secret of whoever tries to guess it.
    zip(mark.bytes, Self.mark(epoch, nonce).bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func mark(_ epoch: EpochKeys, _ nonce: Bytes16) -> Bytes16 {
    Bytes16(Sodium.keyedHash([epochType] + nonce.bytes, epoch.identity, count: 16))
  }
}
