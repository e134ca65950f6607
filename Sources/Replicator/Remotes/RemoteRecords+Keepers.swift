internal import OfflineTree

extension RemoteRecords {
  private static let keeperKind: UInt8 = 4
  private static let compactionKey: [UInt8] = [5]
  private static let attestedKey: [UInt8] = [6]
  /// Homes that are remembered of one keeper. A device that has more of them only names them.
  private static let homesOfKeeper = 16
  /// Clocks with more positions than this are written only once a minute.
  private static let smallClock = 1_024

  /// All that one home of a device that keeps all history said it has.
  struct Kept: Sendable {
    var device: Bytes32
    var home: Bytes16
    /// When it said something new, by our wall clock, in milliseconds since 1970. What a home of before a restore had said
    /// may stand in a folder for ever.
    var heardAt: Int64
    var clock: VectorClock
  }

  func keepers() throws(TreeError) -> [Kept] {
    var result: [Kept] = []
    for (key, value) in try database.remoteRecords() where key.first == Self.keeperKind && key.count == 49 {
      result.append(try Self.kept(home: Bytes16(key[1..<17]), device: Bytes32(key[17...]), value))
    }
    return result
  }

  /// Notes the last word of a home, also if it is less than before: then it was restored from a copy.
  func note(_ kept: Kept) throws {
    guard kept.clock.positions.count <= Limits.logsPerSpace else { return }
    let key = Self.keeperKey(kept)
    if let value = try database.record(remote: key) {
      let old = try Self.kept(home: kept.home, device: kept.device, value)
      if old.clock == kept.clock { return }
      let elapsed = kept.heardAt.subtractingReportingOverflow(old.heardAt)
      let isRecent = !elapsed.overflow && (0..<60_000).contains(elapsed.partialValue)
      if isRecent, kept.clock.positions.count > Self.smallClock { return }
    } else {
      let others = try keepers().filter { $0.device == kept.device }
      if others.count >= Self.homesOfKeeper, let last = others.min(by: { $0.heardAt < $1.heardAt }) {
        try database.setRecord(remote: Self.keeperKey(last), nil)
      }
    }
    var writer = ByteWriter()
    writer.u8(0)
    writer.u64(UInt64(bitPattern: kept.heardAt))
    kept.clock.encode(to: &writer)
    try database.setRecord(remote: key, writer.bytes)
  }

  /// How many changes of each log some home has said to have.
  static func counts(in kept: [Kept]) -> [LogID: UInt64] {
    var counts: [LogID: UInt64] = [:]
    for position in kept.flatMap(\.clock.positions) where position.seq < Limits.changesPerLog {
      counts[position.log] = max(counts[position.log] ?? 0, position.seq + 1)
    }
    return counts
  }

  /// When history was compacted last, in milliseconds since 1970.
  func lastCompaction() throws -> Int64? { try number(Self.compactionKey).map { Int64(bitPattern: $0) } }

  func setLastCompaction(_ time: Int64) throws { try set(UInt64(bitPattern: time), Self.compactionKey) }

  /// How many changes there were when this device vouched for a checkpoint last.
  func lastAttested() throws -> UInt64? { try number(Self.attestedKey) }

  func setLastAttested(_ count: UInt64) throws { try set(count, Self.attestedKey) }

  private func number(_ key: [UInt8]) throws -> UInt64? {
    guard let value = try database.record(remote: key) else { return nil }
    var reader = ByteReader(value)
    guard try reader.u8("record's version") == 0 else { return nil }
    return try reader.u64("number")
  }

  private func set(_ number: UInt64, _ key: [UInt8]) throws {
    var writer = ByteWriter()
    writer.u8(0)
    writer.u64(number)
    try database.setRecord(remote: key, writer.bytes)
  }

  /// What homes of keepers have said to have, by records that were found in a damaged database.
  static func keptPositions(in records: [(key: [UInt8], value: [UInt8])]) -> [LogPosition] {
    records.flatMap { key, value -> [LogPosition] in
      guard key.first == keeperKind, key.count == 49 else { return [] }
      return (try? kept(home: Bytes16(key[1..<17]), device: Bytes32(key[17...]), value))?.clock.positions ?? []
    }
  }

  private static func keeperKey(_ kept: Kept) -> [UInt8] { [keeperKind] + kept.home.bytes + kept.device.bytes }

  private static func kept(home: Bytes16, device: Bytes32, _ value: [UInt8]) throws(TreeError) -> Kept {
    var reader = ByteReader(value)
    guard try reader.u8("record's version") == 0 else {
      throw TreeError(.unsupportedVersion, "a newer version wrote a keeper's record", advice: "Update this program")
    }
    let heardAt = Int64(bitPattern: try reader.u64("time heard"))
    return Kept(device: device, home: home, heardAt: heardAt, clock: try VectorClock(decoding: &reader))
  }
}
