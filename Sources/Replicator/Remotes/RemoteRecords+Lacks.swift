internal import OfflineTree

/// What homes of keepers were asked for and did not have.
extension RemoteRecords {
  private static let lackKind: UInt8 = 8
  /// More of them tell nobody more.
  private static let lacksKept = 1_024

  struct Lack: Hashable, Sendable {
    var device: Bytes32
    var home: Bytes16
    var gap: HistoryGap
  }

  func lacks() throws(TreeError) -> [Lack] {
    var result: [Lack] = []
    for (key, value) in try database.remoteRecords() where key.first == Self.lackKind && key.count == 49 + 16 {
      var reader = ByteReader(value)
      guard try reader.u8("record's version") == 0 else { continue }
      let (log, first, last) = (try reader.bytes16("log"), try reader.u64("number"), try reader.u64("number"))
      let gap = HistoryGap(
        log: log, first: first, last: last, hashBefore: try reader.bytes32("hash before"),
        head: try reader.bytes32("hash"))
      result.append(Lack(device: Bytes32(key[17..<49]), home: Bytes16(key[1..<17]), gap: gap))
    }
    return result
  }

  /// Forgets those of what is not needed any more, when there are too many.
  func note(_ lack: Lack) throws {
    let gap = lack.gap
    var writer = ByteWriter()
    writer.u8(0)
    writer.append(gap.log)
    writer.u64(gap.first)
    writer.u64(gap.last)
    writer.append(gap.hashBefore)
    writer.append(gap.head)
    if try database.record(remote: Self.key(lack)) == writer.bytes { return }
    let known = try lacks()
    if known.count >= Self.lacksKept {
      for old in known { try database.setRecord(remote: Self.key(old), nil) }
    }
    try database.setRecord(remote: Self.key(lack), writer.bytes)
  }

  private static func key(_ lack: Lack) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(lack.gap.log)
    writer.u64(lack.gap.first)
    return [lackKind] + lack.home.bytes + lack.device.bytes + Sodium.hash16(writer.bytes).bytes
  }
}
