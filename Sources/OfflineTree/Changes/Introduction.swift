/// Change 0 of a log: whose it is. Only that device can make it, since the log's id is a hash of the device's key.
package struct Introduction: Equatable, Sendable {
  package enum Standing: Equatable, Sendable {
    /// The first change of the space.
    case genesis(Genesis)
    /// A device that was invited: the invite's public key, and its signature of `joinMessage`.
    case join(invite: Bytes32, Signature)
    /// A further log of a device that is here already.
    case open
  }

  /// 16 random bytes; zero for the founder's first log, so that its id follows from the space's.
  package let random: Bytes16
  /// The Ed25519 key with which the device signs.
  package let deviceKey: Bytes32
  /// The X25519 key with which others seal for it.
  package let boxKey: Bytes32
  package let deviceName: String
  package let standing: Standing

  package init(random: Bytes16, deviceKey: Bytes32, boxKey: Bytes32, deviceName: String, standing: Standing) {
    self.random = random
    self.deviceKey = deviceKey
    self.boxKey = boxKey
    self.deviceName = deviceName
    self.standing = standing
  }

  /// H16("OT log 1" ‖ space id ‖ device key ‖ random).
  package static func logID(space: SpaceID, deviceKey: Bytes32, random: Bytes16) -> LogID {
    Sodium.hash16(Array("OT log 1".utf8) + space.bytes + deviceKey.bytes + random.bytes)
  }

  /// H16("OT branch 1" ‖ introduced log id ‖ hash of the branch's first change): a function of the set of changes.
  package static func branchID(log: LogID, first: Bytes32) -> LogID {
    Sodium.hash16(Array("OT branch 1".utf8) + log.bytes + first.bytes)
  }

  package func logID(space: SpaceID) -> LogID {
    Introduction.logID(space: space, deviceKey: deviceKey, random: random)
  }

  /// What an invite's key signs for a device: its signing key ‖ its box key ‖ its log's id.
  package static func joinMessage(
    space: SpaceID, deviceKey: Bytes32, boxKey: Bytes32, random: Bytes16
  ) -> [UInt8] {
    let log = logID(space: space, deviceKey: deviceKey, random: random)
    return SignaturePurpose.join.message(space, deviceKey.bytes + boxKey.bytes + log.bytes)
  }

  /// Why a join cannot count, whatever else is known; nil for one whose signature is right, and for what is no join.
  package func joinFault(space: SpaceID) -> String? {
    guard case .join(let invite, let signature) = standing else { return nil }
    let message = Introduction.joinMessage(space: space, deviceKey: deviceKey, boxKey: boxKey, random: random)
    return Sodium.isValid(signature, of: message, byUnknown: invite) ? nil : "the invite has not signed for its device"
  }

  static let kind: UInt8 = 0x01

  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 256)
    encode(to: &writer)
    return writer.bytes
  }

  func encode(to writer: inout ByteWriter) {
    writer.append(random)
    writer.append(deviceKey)
    writer.append(boxKey)
    writer.prefixed(deviceName)
    switch standing {
    case .open: writer.u8(0)
    case .genesis(let genesis):
      writer.u8(1)
      writer.prefixed(genesis.encoded)
    case .join(let invite, let signature):
      writer.u8(2)
      writer.append(invite)
      writer.append(signature.bytes)
    }
  }

  /// Reads a record that stands alone; nil for a standing that this version does not know.
  package static func decode(_ bytes: [UInt8]) throws(TreeError) -> Introduction? {
    var reader = ByteReader(bytes)
    guard let introduction = try decode(&reader) else { return nil }
    try reader.finish("introduction")
    return introduction
  }

  /// Nil for a standing that this version does not know.
  static func decode(_ reader: inout ByteReader) throws(TreeError) -> Introduction? {
    let random = try reader.bytes16("introduction's random bytes")
    let deviceKey = try reader.bytes32("device key")
    let boxKey = try reader.bytes32("box key")
    guard let name = String(validating: try reader.prefixed("device name", limit: Limits.nameBytes), as: UTF8.self)
    else { throw reader.damaged("device name", "is not valid UTF-8") }
    let standing: Standing
    switch try reader.u8("introduction's standing") {
    case 0: standing = .open
    case 1:
      let record = try reader.prefixed("genesis", limit: 1 << 20)
      standing = .genesis(try Genesis(decoding: record))
    case 2:
      let invite = try reader.bytes32("invite's key")
      standing = .join(invite: invite, Signature(try reader.bytes(Signature.byteCount, "join signature")))
    default: return nil
    }
    return Introduction(random: random, deviceKey: deviceKey, boxKey: boxKey, deviceName: name, standing: standing)
  }
}

extension Introduction.Standing {
  /// The public key of the invite by which a device came.
  package var invite: Bytes32? { if case .join(let invite, _) = self { invite } else { nil } }
}
