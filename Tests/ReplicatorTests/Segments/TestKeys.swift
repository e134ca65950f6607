import OfflineTree

@testable import Replicator

/// Keys and signatures of nobody, for what does not ask whose they are.
enum TestKeys {
  static let space = Bytes32(repeatElement(7, count: 32))
  static let signature = Signature(0..<64)
  static let random = [UInt8](repeating: 5, count: 32)

  /// The keys of an epoch: equal for equal numbers.
  static func epoch(_ number: UInt8 = 1, space: SpaceID = space) -> EpochKeys {
    var bytes = [UInt8](repeating: number, count: 32)
    return EpochKeys(Secret(&bytes), space: space)
  }

  static func known(_ keys: EpochKeys...) -> [EpochID: EpochKeys] {
    Dictionary(uniqueKeysWithValues: keys.map { ($0.id, $0) })
  }
}
