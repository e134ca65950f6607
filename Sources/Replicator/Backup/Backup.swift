public import OfflineTree

/// A sealed file of everything that a device knows of its space, to restore it from: docs/backup.md.
///
/// It holds no device's keys: who restores one has the keys' file, or an invite, or reads only.
public enum Backup {
  /// How a file is sealed; nil if there is none, or nothing in it.
  ///
  /// - Throws: `invalidArgument` for what is no backup, `damaged`, `unsupportedVersion`.
  public static func kind(of path: String) throws(TreeError) -> BackupSecret.Kind? {
    guard FileSystem.exists(path) else { return nil }
    let file = try BackupFile(path, isWritten: false)
    return try BackupReader.isUnfinished(file) ? nil : try BackupReader.header(of: file).kind
  }

  /// What one run of `append` did.
  public struct Report: Sendable, Equatable {
    /// Changes and images that were added.
    public var changes = 0
    public var images = 0
    /// Changes in the file by now.
    public var allChanges: UInt64 = 0
    /// Bytes by which the file grew, and that it has.
    public var addedBytes: UInt64 = 0
    public var byteCount: UInt64 = 0
    /// Bytes of a run that was broken off, which were taken away.
    public var cutBytes: UInt64 = 0
  }

  /// Adds to a backup what it lacks; makes it, if it is missing. On the disk when it returns.
  ///
  /// What it holds then is a state that the database was in, or is a little newer than the one in which it was when this
  /// began: everything that a change in it had seen is in it. Takes a few MiB of memory beside the largest change. A
  /// program that dies in the middle leaves the backup of before.
  ///
  /// - Parameters:
  ///   - files: Small files of the home that go along, by their names.
  ///   - progress: Called with the number of changes so far, on the calling thread.
  /// - Throws: `wrongPassword`; `refused` for the backup of another device or space; `damaged`, and then the file stays as
  ///   it is; `inputOutput`, `full`.
  public static func append(
    _ database: Database, to path: String, sealedBy secret: BackupSecret, files: [String] = [],
    progress: (Int) -> Void = { _ in }
  ) throws -> Report {
    try append(database, to: path, sealedBy: secret, files: files, profile: .standard, progress: progress)
  }

  /// - Parameter profile: What a guess at a new backup's password costs.
  package static func append(
    _ database: Database, to path: String, sealedBy secret: BackupSecret, files: [String] = [],
    profile: PasswordProfile, progress: (Int) -> Void = { _ in }
  ) throws -> Report {
    try FileLock.withLock("\(database.home)/backup.lock") { () throws(TreeError) in
      var writer = try BackupWriter(database, try BackupFile(path, isWritten: true), secret, profile)
      do {
        return try writer.append(files, progress)
      } catch let error as TreeError {
        throw error
      } catch {
        throw TreeError(.internal, "cannot write \(path)", underlying: "\(error)")
      }
    }
  }

  /// What a backup holds.
  public struct Summary: Sendable, Equatable {
    public let space: SpaceID
    public let device: Bytes32
    public let deviceName: String
    /// When it was last added to, by that device's clock: milliseconds since 1970.
    public let wallTime: Int64
    public let changes: UInt64
  }

  /// Opens and checks every section, and every change's place in its log.
  ///
  /// - Throws: `damaged`, with the place; `wrongPassword`.
  public static func check(
    _ path: String, _ secret: BackupSecret, progress: (Int) -> Void = { _ in }
  ) throws(TreeError) -> Summary {
    let reader = try BackupReader(try BackupFile(path, isWritten: false), secret)
    var content = BackupContent(reader)
    try content.read(isPatient: false) { item throws(TreeError) in
      if case .changes(let runs) = item { progress(runs.count) }
    }
    guard let end = content.end else { throw Self.empty(path) }
    return Summary(
      space: reader.about.space, device: reader.about.device, deviceName: reader.about.deviceName,
      wallTime: end.wallTime, changes: end.changes)
  }

  /// The error for a file in which no run of `append` came to its end.
  public static func empty(_ path: String) -> TreeError {
    TreeError(
      .damaged, "\(path) holds no whole backup: the first run was broken off",
      advice: "Back up into it again, or take another copy of it.")
  }
}
