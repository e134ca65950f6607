import OfflineTree

/// Keys of nobody, which the targets and their seeds share.
enum FuzzSpace {
  static let space = Bytes32(repeatElement(7, count: 32))
  static let log = Bytes16(repeatElement(9, count: 16))
  static let random = [UInt8](repeating: 5, count: 32)
  static let signature = Signature(0..<64)

  /// The keys of the epoch in which all is sealed.
  static let epoch: EpochKeys = {
    var key = [UInt8](repeating: 1, count: 32)
    return EpochKeys(Secret(&key), space: space)
  }()

  static let known = [epoch.id: epoch]

  /// A device's key pair: equal for equal numbers.
  static func signingKey(_ number: UInt8) -> SigningKey {
    var seed = [UInt8](repeating: number, count: 32)
    return SigningKey(seed: Secret(&seed))
  }

  static let client = signingKey(11)
  static let server = signingKey(12)
}
