public import OfflineTree

/// Who is at the other end: a device, in one of its homes.
public struct PeerIdentity: Hashable, Sendable {
  /// The Ed25519 public key of the device.
  public let deviceKey: Bytes32
  /// What the device calls itself. For people only; it is not part of the identity.
  public let name: String
  /// Names the home: two copies of one device's home differ in it.
  public let homeToken: Bytes16

  package init(deviceKey: Bytes32, name: String, homeToken: Bytes16) {
    self.deviceKey = deviceKey
    self.name = name
    self.homeToken = homeToken
  }

  public static func == (left: PeerIdentity, right: PeerIdentity) -> Bool {
    left.homeToken == right.homeToken && left.deviceKey == right.deviceKey
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(homeToken)
    hasher.combine(deviceKey)
  }
}

extension PeerIdentity {
  /// In an order that means nothing and stays.
  static func < (left: PeerIdentity, right: PeerIdentity) -> Bool {
    (left.homeToken, left.deviceKey) < (right.homeToken, right.deviceKey)
  }
}

extension Database {
  /// What this home tells others of itself.
  package var identity: PeerIdentity { PeerIdentity(deviceKey: deviceKey, name: deviceName, homeToken: homeToken) }
}
