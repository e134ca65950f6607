package import OfflineTree

/// Makes and reads backups under a code that is known to all: for fuzzing.
package struct BackupTrial: Equatable, Sendable {
  package private(set) var changes = 0
  package private(set) var images = 0
  package private(set) var settings = 0
  package private(set) var damages = 0

  private static let header = BackupHeader(kind: .code, profile: nil, salt: Bytes16(repeatElement(3, count: 16)))

  private static func secret() throws(TreeError) -> BackupSecret { .code(RecoveryCode(environment: fixed)) }

  private static let fixed = Environment(
    wallClock: { 0 }, monotonicClock: { 0 }, randomBytes: { [UInt8](repeating: 6, count: $0) },
    machineIdentity: { [] })

  /// Reads all of a file, as `restore` does.
  ///
  /// - Parameter isPatient: Passes over what is damaged; else that throws.
  package init(reading path: String, isPatient: Bool) throws(TreeError) {
    let reader = try BackupReader(try BackupFile(path, isWritten: false), try Self.secret())
    var content = BackupContent(reader)
    var (changes, images, settings) = (0, 0, 0)
    try content.read(isPatient: isPatient) { item throws(TreeError) in
      switch item {
      case .changes(let runs): changes += runs.reduce(0) { $0 + $1.bodies.count }
      case .image: images += 1
      case .settings: settings += 1
      }
    }
    (self.changes, self.images, self.settings, damages) = (changes, images, settings, content.damages)
  }

  /// A backup whose sections say that, behind the one that says whose it is.
  package static func file(_ sections: [(kind: UInt8, content: [UInt8])], space: SpaceID) throws(TreeError) -> [UInt8] {
    let keys = try BackupKeys(try secret(), header)
    let about = BackupAbout(space: space, device: .zero, deviceName: "a device")
    let all = [(BackupSection.Kind.about.rawValue, about.encoded)] + sections
    var bytes = header.encoded
    for (number, section) in all.enumerated() {
      bytes += BackupSection.seal(
        BackupSection.Kind(rawValue: section.0) ?? .changes, number: UInt64(number), section.1, header, keys,
        random: [UInt8](repeating: 4, count: 16))
    }
    return bytes
  }

  /// What a section of changes says that holds those runs.
  package static func changes(_ runs: [ChangeRun], space: SpaceID) throws(TreeError) -> [UInt8] {
    var opened: [UInt8] = []
    for run in runs { opened += try Segment.encode(run, space: space) }
    var writer = ByteWriter()
    writer.u32(UInt32(opened.count))
    return writer.bytes + (try Zstd.compress(opened))
  }

  package static var settings: [UInt8] {
    var settings = BackupSettings()
    settings.remotes = ["folder /tmp/shared"]
    settings.files = [BackupSettings.File(name: "user", bytes: [1, 2, 3])]
    return settings.encoded
  }

  package static var end: [UInt8] { BackupEnd().encoded }
}
