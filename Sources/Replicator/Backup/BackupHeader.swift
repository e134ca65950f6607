internal import OfflineTree

/// The beginning of a backup, which anybody can read. The layout is in docs/format.md.
struct BackupHeader: Equatable, Sendable {
  let kind: BackupSecret.Kind
  /// What a guess at the password costs; nil for a code.
  let profile: PasswordProfile?
  let salt: Bytes16

  static let byteCount = 40
  static let magic = Array("OTBK".utf8)
  private static let version: UInt8 = 1

  var encoded: [UInt8] {
    var writer = ByteWriter(capacity: Self.byteCount)
    writer.append(Self.magic)
    writer.append([Self.version, kind.rawValue, profile?.rawValue ?? 0, 0])
    writer.append(salt)
    writer.append(Sodium.hash16(writer.bytes))
    return writer.bytes
  }
}

extension BackupHeader {
  /// - Throws: `invalidArgument` for what is no backup, `damaged`, `unsupportedVersion`.
  init(decoding bytes: [UInt8], of path: String) throws(TreeError) {
    guard bytes.starts(with: Self.magic) else {
      throw TreeError(
        .invalidArgument, "\(path) is no backup: it does not begin with OTBK", advice: "Name another file.")
    }
    guard bytes.count > 4, bytes[4] == Self.version else {
      throw TreeError(
        .unsupportedVersion, "\(path) was written by another version, and nothing was changed",
        advice: "Update this program.")
    }
    guard bytes.count >= Self.byteCount, Sodium.hash16(Array(bytes[..<24])) == Bytes16(bytes[24..<40]),
      let kind = BackupSecret.Kind(rawValue: bytes[5]), bytes[7] == 0
    else { throw Self.damaged(path) }
    profile = PasswordProfile(rawValue: bytes[6])
    guard kind == .password ? profile != nil : bytes[6] == 0 else { throw Self.damaged(path) }
    self.kind = kind
    salt = Bytes16(bytes[8..<24])
  }

  private static func damaged(_ path: String) -> TreeError {
    TreeError(.damaged, "the beginning of \(path) is damaged", advice: "Take another copy of it.")
  }
}
