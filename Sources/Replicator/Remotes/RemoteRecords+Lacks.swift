internal import OfflineTree

/// What homes of keepers were asked for and did not have.
extension RemoteRecords {
  private static let lackKind: UInt8 = 8
  /// Version 0 had no time.
  private static let lackVersion: UInt8 = 1
  /// More of them tell nobody more.
  static let lacksKept = 1_024
  /// One that is heard again within a day is not written again.
  private static let lackMilliseconds: Int64 = 86_400_000

  struct Lack: Hashable, Sendable {
    var device: Bytes32
    var home: Bytes16
    var gap: HistoryGap
    /// When it was heard last, by our wall clock, in milliseconds since 1970; about to the day.
    var heardAt: Int64
  }

  func lacks() throws(TreeError) -> [Lack] {
    var result: [Lack] = []
    for (key, value) in try database.remoteRecords() where key.first == Self.lackKind && key.count == 49 + 16 {
      if let lack = try Self.lack(key, value) { result.append(lack) }
    }
    return result
  }

  private static func lack(_ key: [UInt8], _ value: [UInt8]) throws(TreeError) -> Lack? {
    var reader = ByteReader(value)
    guard try reader.u8("record's version") == lackVersion else { return nil }
    let heardAt = Int64(bitPattern: try reader.u64("time heard"))
    let (log, first, last) = (try reader.bytes16("log"), try reader.u64("number"), try reader.u64("number"))
    let gap = HistoryGap(
      log: log, first: first, last: last, hashBefore: try reader.bytes32("hash before"),
      head: try reader.bytes32("hash"))
    return Lack(device: Bytes32(key[17..<49]), home: Bytes16(key[1..<17]), gap: gap, heardAt: heardAt)
  }

  /// Forgets the older half of them when there are too many.
  func note(_ lack: Lack) throws {
    let key = Self.key(lack)
    if let value = try database.record(remote: key), let known = try Self.lack(key, value), known.gap == lack.gap {
      let elapsed = lack.heardAt.subtractingReportingOverflow(known.heardAt)
      if !elapsed.overflow, (0..<Self.lackMilliseconds).contains(elapsed.partialValue) { return }
    }
    var writer = ByteWriter()
    writer.u8(Self.lackVersion)
    writer.u64(UInt64(bitPattern: lack.heardAt))
    writer.append(lack.gap.log)
    writer.u64(lack.gap.first)
    writer.u64(lack.gap.last)
    writer.append(lack.gap.hashBefore)
    writer.append(lack.gap.head)
    let known = try lacks()
    let forgotten =
      known.count < Self.lacksKept ? [] : known.sorted { $0.heardAt < $1.heardAt }.prefix(Self.lacksKept / 2)
    try database.setRecords(forgotten.map { (Self.key($0), nil) } + [(key, writer.bytes)])
  }

  func forgetLacks() throws {
    let keys = try database.remoteRecords().map(\.0).filter { $0.first == Self.lackKind }
    if !keys.isEmpty { try database.setRecords(keys.map { ($0, nil) }) }
  }

  private static func key(_ lack: Lack) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(lack.gap.log)
    writer.u64(lack.gap.first)
    return [lackKind] + lack.home.bytes + lack.device.bytes + Sodium.hash16(writer.bytes).bytes
  }
}
