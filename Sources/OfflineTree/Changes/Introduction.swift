/// Change 0 of a log: whose it is. Only that device can make it, since the log's id is a hash of the device's key.
package struct Introduction: Equatable, Sendable {
  package enum Standing: Equatable, Sendable {
    /// The first change of the space.
    case genesis(Genesis)
    /// A log that stands on what is in its past.
    case open
  }

  /// 16 random bytes; zero for the founder's first log, so that its id follows from the space's.
  package let random: Bytes16
  package let deviceKey: Bytes32
  package let deviceName: String
  package let standing: Standing

  package init(random: Bytes16, deviceKey: Bytes32, deviceName: String, standing: Standing) {
    self.random = random
    self.deviceKey = deviceKey
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

  static let kind: UInt8 = 0x01

  func encode(to writer: inout ByteWriter) {
    writer.append(random)
    writer.append(deviceKey)
    writer.prefixed(deviceName)
    switch standing {
    case .open: writer.u8(0)
    case .genesis(let genesis):
      writer.u8(1)
      writer.prefixed(genesis.encoded)
    }
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    random = try reader.bytes16("introduction's random bytes")
    deviceKey = try reader.bytes32("device key")
    guard let name = String(validating: try reader.prefixed("device name", limit: Limits.nameBytes), as: UTF8.self)
    else { throw reader.damaged("device name", "is not valid UTF-8") }
    deviceName = name
    switch try reader.u8("introduction's standing") {
    case 0: standing = .open
    case 1:
      let record = try reader.prefixed("genesis", limit: 1 << 20)
      standing = .genesis(try Genesis(decoding: record))
    default: throw reader.damaged("introduction's standing", "is unknown")
    }
  }
}
