internal import OfflineTree

/// What a folder was when it was used last, so that another one in its place is not taken for it.
extension RemoteRecords {
  private static let folderKind: UInt8 = 7
  private static let folderVersion: UInt8 = 1

  struct Folder: Equatable, Sendable {
    /// What this home's own folder there held: the last time, and those that were used there before by turns.
    private(set) var tokens: [Bytes16]
    /// The last time; nil if whatever stands there next is taken.
    var volume: FileSystem.Volume?

    /// Disks that are used at one place by turns.
    static let tokensKept = 8

    init(_ token: Bytes16, before: [Bytes16], volume: FileSystem.Volume?) {
      self.init([token] + before.filter { $0 != token }, volume)
    }

    fileprivate init(_ tokens: [Bytes16], _ volume: FileSystem.Volume?) {
      (self.tokens, self.volume) = (Array(tokens.prefix(Self.tokensKept)), volume)
    }
  }

  func folder(of remote: String) throws(TreeError) -> Folder? {
    guard let value = try database.record(remote: key(remote)) else { return nil }
    var reader = ByteReader(value)
    switch try reader.u8("record's version") {
    case 0:
      let token = try reader.bytes16("token of a folder")
      return Folder([token], try Self.volume(&reader))
    case Self.folderVersion:
      var tokens: [Bytes16] = []
      for _ in 0..<(try reader.count("tokens of a folder", limit: Folder.tokensKept)) {
        tokens.append(try reader.bytes16("token of a folder"))
      }
      return Folder(tokens, reader.isAtEnd ? nil : try Self.volume(&reader))
    default: return nil
    }
  }

  private static func volume(_ reader: inout ByteReader) throws(TreeError) -> FileSystem.Volume {
    let device = try reader.u64("device")
    return FileSystem.Volume(device: device, number: try reader.u64("volume"))
  }

  /// - Parameter folder: Nil if nothing is to be remembered of it.
  func set(_ folder: Folder?, remote: String) throws {
    guard let folder else { return try database.setRecord(remote: key(remote), nil) }
    var writer = ByteWriter()
    writer.u8(Self.folderVersion)
    writer.varint(folder.tokens.count)
    for token in folder.tokens { writer.append(token) }
    if let volume = folder.volume {
      writer.u64(volume.device)
      writer.u64(volume.number)
    }
    try database.setRecord(remote: key(remote), writer.bytes)
  }

  /// What stands there next is taken for it, beside what was.
  func takeNextFolder(remote: String) throws {
    guard var folder = try folder(of: remote) else { return }
    folder.volume = nil
    try set(folder, remote: remote)
  }

  /// By home as well: a copy of this one has its own folder there, and may stand on another machine.
  private func key(_ remote: String) -> [UInt8] {
    [Self.folderKind] + Sodium.hash16(Array(remote.utf8)).bytes + database.homeToken.bytes
  }
}
