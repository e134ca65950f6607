internal import OfflineTree

/// What a folder was when it was used last, so that another one in its place is not taken for it.
extension RemoteRecords {
  private static let folderKind: UInt8 = 7

  struct Folder: Equatable, Sendable {
    /// What this home's own folder there holds.
    var token: Bytes16
    var volume: FileSystem.Volume
  }

  func folder(of remote: String) throws(TreeError) -> Folder? {
    guard let value = try database.record(remote: key(remote)) else { return nil }
    var reader = ByteReader(value)
    guard try reader.u8("record's version") == 0 else { return nil }
    let token = try reader.bytes16("token of a folder")
    let device = try reader.u64("device")
    return Folder(token: token, volume: FileSystem.Volume(device: device, number: try reader.u64("volume")))
  }

  /// - Parameter folder: Nil if whatever stands there next is taken.
  func set(_ folder: Folder?, remote: String) throws {
    guard let folder else { return try database.setRecord(remote: key(remote), nil) }
    var writer = ByteWriter()
    writer.u8(0)
    writer.append(folder.token)
    writer.u64(folder.volume.device)
    writer.u64(folder.volume.number)
    try database.setRecord(remote: key(remote), writer.bytes)
  }

  /// By home as well: a copy of this one has its own folder there, and may stand on another machine.
  private func key(_ remote: String) -> [UInt8] {
    [Self.folderKind] + Sodium.hash16(Array(remote.utf8)).bytes + database.homeToken.bytes
  }
}
