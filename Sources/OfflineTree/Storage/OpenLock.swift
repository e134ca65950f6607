#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Says that a process has a database open: many may at a time, and none while it is
/// replaced, by a repaired one or by one without free room.
///
/// The file stays, and holds nothing. The lock ends with the process.
package final class OpenLock: Sendable {
  private let file: Int32

  /// - Parameters:
  ///   - folder: The folder that holds the data file.
  ///   - isAlone: Is the database to be replaced?
  /// - Throws: `.unavailable` if another process has it open, or replaces it.
  package init(_ folder: String, isAlone: Bool) throws(TreeError) {
    let path = "\(folder)/open.lock"
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    do throws(TreeError) {
      try FileSystem.retrying("cannot lock", path) { flock(file, (isAlone ? LOCK_EX : LOCK_SH) | LOCK_NB) }
    } catch {
      close(file)
      guard error.code == .unavailable else { throw error }
      throw isAlone
        ? TreeError(
          .unavailable, "Another program has the database in \(folder) open", advice: "Stop it, and try again.")
        : TreeError(.unavailable, "The database in \(folder) is being replaced", advice: "Try again when that is done.")
    }
    self.file = file
  }

  deinit { close(file) }
}
