internal import OfflineTree

/// Whose a backup is.
struct BackupAbout: Equatable, Sendable {
  let space: SpaceID
  let device: Bytes32
  let deviceName: String

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(space)
    writer.append(device)
    writer.prefixed(deviceName)
    return writer.bytes
  }

  init(space: SpaceID, device: Bytes32, deviceName: String) {
    (self.space, self.device, self.deviceName) = (space, device, deviceName)
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    space = try reader.bytes32("space")
    device = try reader.bytes32("device")
    deviceName = try reader.text("device name", limit: Limits.nameBytes)
    try reader.finish("whose the backup is")
  }
}

/// What a device needs besides the space: where it exchanges, and small files of its home.
struct BackupSettings: Equatable, Sendable {
  var remotes: [String] = []
  var files: [File] = []

  struct File: Equatable, Sendable {
    let name: String
    let bytes: [UInt8]
  }

  static let remoteLimit = 4_096
  static let fileLimit = 1_024
  /// Of all files together.
  static let byteLimit = 32 << 20

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.varint(remotes.count)
    for remote in remotes { writer.prefixed(remote) }
    writer.varint(files.count)
    for file in files {
      writer.prefixed(file.name)
      writer.prefixed(file.bytes)
    }
    return writer.bytes
  }

  init() {}

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    for _ in 0..<(try reader.count("remotes", limit: Self.remoteLimit)) {
      remotes.append(try reader.text("remote", limit: 8 * Limits.pathBytes))
    }
    for _ in 0..<(try reader.count("files", limit: Self.fileLimit)) {
      let name = try reader.text("name of a file", limit: 255)
      files.append(File(name: name, bytes: Array(try reader.prefixed("file", limit: Self.byteLimit))))
    }
    try reader.finish("settings")
  }
}

/// What the sections up to here hold.
struct BackupEnd: Equatable, Sendable {
  var wallTime: Int64 = 0
  /// Changes in all sections.
  var changes: UInt64 = 0
  /// The database's, if it was at exactly this clock.
  var stateHash: Bytes16?
  /// H32 of the content of the last settings.
  var settings = Bytes32.zero
  /// Images in all sections, by their hashes.
  var images: Set<Bytes32> = []
  var clock: Set<LogPosition> = []
  /// The ends of runs that the database passes on without understanding them.
  var waiting: Set<LogPosition> = []

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.u64(UInt64(bitPattern: wallTime))
    writer.varint(changes)
    writer.u8(stateHash == nil ? 0 : 1)
    if let stateHash { writer.append(stateHash) }
    writer.append(settings)
    writer.varint(images.count)
    for hash in images.sorted() { writer.append(hash) }
    for positions in [clock, waiting] {
      writer.varint(positions.count)
      for position in positions.sorted() {
        writer.append(position.log)
        writer.u64(position.seq)
        writer.append(position.hash)
      }
    }
    return writer.bytes
  }

  init() {}

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    wallTime = Int64(bitPattern: try reader.u64("time"))
    changes = try reader.varint("changes")
    if try reader.flag("state hash") { stateHash = try reader.bytes16("state hash") }
    settings = try reader.bytes32("settings")
    for _ in 0..<(try reader.count("images", limit: reader.remaining / 32)) {
      images.insert(try reader.bytes32("image"))
    }
    clock = try Self.positions(&reader)
    waiting = try Self.positions(&reader)
    try reader.finish("end of a backup")
  }

  private static func positions(_ reader: inout ByteReader) throws(TreeError) -> Set<LogPosition> {
    var positions: Set<LogPosition> = []
    for _ in 0..<(try reader.count("positions", limit: reader.remaining / 56)) {
      let log = try reader.bytes16("log")
      let seq = try reader.u64("number")
      guard seq < Limits.changesPerLog else { throw reader.damaged("number", "is too large") }
      positions.insert(LogPosition(log: log, seq: seq, hash: try reader.bytes32("hash")))
    }
    return positions
  }

  /// Changes were added that go on from what is here, or stand for themselves.
  mutating func add(_ header: SegmentHeader) {
    waiting.remove(header.position)
    if header.first > 0 {
      clock.remove(LogPosition(log: header.log, seq: header.first - 1, hash: header.hashBefore))
    }
    clock.insert(header.position)
    changes += UInt64(header.count)
  }
}
