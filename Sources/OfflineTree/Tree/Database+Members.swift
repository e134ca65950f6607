/// Stand-ins until the real ones land.
public struct InviteStatus: Sendable, Equatable {
  /// What the invite is known by.
  public let publicKey: Bytes32
  public let role: Role
  /// The device that made it, and its name.
  public let minter: Bytes32
  public let minterName: String
  public let isOwn: Bool
  /// When its maker's device ends it, in milliseconds since 1970.
  public let notAfter: Int64?
  public let isOpen: Bool
  /// Names of the devices that joined by it.
  public let devices: [String]
  /// Milliseconds since 1970, by the maker's clock.
  public let mintedAt: Int64
}

public struct Member: Sendable, Equatable {
  public let deviceKey: Bytes32
  public let name: String
  public let role: Role
  public let isFounder: Bool
  public let isSelf: Bool
  public let isEnded: Bool
  /// The name of the device that ended it.
  public let endedBy: String?
  /// Milliseconds since 1970, by its own clock; nil before.
  public let introducedAt: Int64?
}

extension Database {
  public static func create(
    at path: String, space name: String, addOnlySets: [Genesis.AddOnlySet] = [], flags: [Genesis.Flag] = [],
    membersMayInvite: Bool = false, recovery: RecoveryCode, deviceName: String, environment: Environment = .system,
    options: Options = Options()
  ) throws(TreeError) -> Database {
    try create(
      at: path, space: name, addOnlySets: addOnlySets, flags: flags, deviceName: deviceName, environment: environment,
      options: options)
  }

  public static func join(
    at path: String, invite: Invite, deviceName: String, environment: Environment = .system,
    options: Options = Options()
  ) throws(TreeError) -> Database {
    try join(at: path, space: invite.spaceID, deviceName: deviceName, environment: environment, options: options)
  }

  package static func join(
    at path: String, invite: Invite, deviceName: String, logRandom: Bytes16, environment: Environment = .system,
    options: Options = Options()
  ) throws(TreeError) -> Database {
    try join(at: path, space: invite.spaceID, deviceName: deviceName, environment: environment, options: options)
  }

  public func invite(role: Role = .member, expires: Int64? = nil, addresses: [String] = []) throws -> Invite {
    var (seed, key) = (environment.randomBytes(32), try epochs().current.key.copyBytes())
    return try Invite(
      spaceID: spaceID, seed: Secret(&seed), epochKey: Secret(&key),
      registration: Invite.Registration(log: .zero, seq: 0, hash: .zero), addresses: addresses)
  }

  public func invites() throws -> [InviteStatus] { [] }

  public func endInvite(_ publicKey: Bytes32) throws { throw Database.notHere }

  public func members() throws -> [Member] {
    try read { try $0.logs() }.filter(\.isCurrent).map {
      Member(
        deviceKey: $0.deviceKey, name: $0.deviceName, role: .member, isFounder: false, isSelf: $0.isOwn,
        isEnded: false, endedBy: nil, introducedAt: nil)
    }
  }

  public func grant(_ role: Role, to device: Bytes32) throws { throw Database.notHere }

  public func removeMembers(_ devices: [Bytes32]) throws { throw Database.notHere }

  public func rotate() throws { throw Database.notHere }

  public func recoverOwner(_ code: RecoveryCode, removing devices: [Bytes32] = []) throws { throw Database.notHere }

  public func leave() throws { throw Database.notHere }

  public func renameDevice(_ name: String) throws { throw Database.notHere }

  package func end(log: LogID) throws { throw Database.notHere }

  package var allowsVoidWrites: Bool {
    get { false }
    set {}
  }

  private static var notHere: TreeError { TreeError(.unavailable, "control changes are not here yet") }
}
