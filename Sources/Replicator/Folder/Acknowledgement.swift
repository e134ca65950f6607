internal import OfflineTree

/// What one home has, in its own words: a small file in a shared folder. The layout is in docs/format.md.
struct Acknowledgement: Sendable {
  let space: SpaceID
  let peer: PeerIdentity
  /// The highest one of a home is its latest.
  let counter: UInt64
  /// The device's wall clock when it wrote this, in milliseconds since 1970.
  let wallTime: Int64
  let clock: VectorClock

  static let magic = Array("OTAK".utf8)
  static let maximumPositions = 65_536
  static let maximumBytes = 128 + Limits.nameBytes + 56 * maximumPositions
  private static let kind: UInt8 = 2

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 160 + 56 * clock.positions.count)
    writer.append(Self.magic)
    writer.append([0, 0, Self.kind, 0])
    writer.append(Bytes16.zero)
    writer.append(space)
    writer.append(peer.homeToken)
    writer.append(peer.deviceKey)
    writer.u64(counter)
    writer.u64(UInt64(bitPattern: wallTime))
    writer.prefixed(peer.name)
    clock.encode(to: &writer)
    writer.append(Sodium.hash16(writer.bytes))
    return writer.bytes
  }
}

extension Acknowledgement {
  /// - Throws: `.damaged`, or `.unsupportedVersion` for what a newer version wrote.
  init(decoding bytes: [UInt8]) throws(TreeError) {
    guard bytes.count > 16, bytes.starts(with: Self.magic) else {
      throw TreeError(.damaged, "this is no acknowledgement: it does not begin with OTAK")
    }
    let content = Array(bytes.dropLast(16))
    guard Sodium.hash16(content) == Bytes16(bytes.suffix(16)) else {
      throw TreeError(.damaged, "acknowledgement does not agree with its check")
    }
    var reader = ByteReader(content)
    _ = try reader.bytes(4, "magic")
    guard try reader.bytes(4, "acknowledgement's version").elementsEqual([0, 0, Self.kind, 0]),
      try reader.bytes16("epoch") == .zero
    else { throw TreeError(.unsupportedVersion, "a newer version wrote it", advice: "Update this program") }
    space = try reader.bytes32("space")
    let token = try reader.bytes16("home token")
    let deviceKey = try reader.bytes32("device key")
    counter = try reader.u64("counter")
    wallTime = Int64(bitPattern: try reader.u64("wall time"))
    let name = try reader.prefixed("device name", limit: Limits.nameBytes)
    guard let name = String(validating: name, as: UTF8.self) else {
      throw reader.damaged("device name", "is not valid UTF-8")
    }
    peer = PeerIdentity(deviceKey: deviceKey, name: name, homeToken: token)
    clock = try VectorClock(decoding: &reader)
    try reader.finish("acknowledgement")
  }
}

extension VectorClock {
  func encode(to writer: inout ByteWriter) {
    writer.varint(positions.count)
    for position in positions {
      writer.append(position.log)
      writer.u64(position.seq)
      writer.append(position.hash)
    }
  }

  init(decoding reader: inout ByteReader) throws(TreeError) {
    let count = try reader.count("count of positions", limit: Acknowledgement.maximumPositions)
    guard reader.remaining >= 56 * count else { throw reader.damaged("clock", "is cut off") }
    var positions: [LogPosition] = []
    positions.reserveCapacity(count)
    for _ in 0..<count {
      let log = try reader.bytes16("log")
      let seq = try reader.u64("number")
      let position = LogPosition(log: log, seq: seq, hash: try reader.bytes32("hash"))
      if let last = positions.last, last >= position { throw reader.damaged("clock", "is not sorted") }
      positions.append(position)
    }
    self.init(positions)
  }
}
