#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Says that a process has a database open: many may at a time, and none while it is
/// replaced, by a repaired one or by one without free room.
///
/// The file stays, and holds nothing. The lock ends with the process. Who is alone also has LMDB's own lock, which a process
/// of a version before this file takes: such a process cannot open the database either, and keeps this from being alone.
package final class OpenLock: Sendable {
  private let file: Int32
  private let table: Int32?

  /// - Parameters:
  ///   - folder: The folder that holds the data file.
  ///   - isAlone: Is the database to be replaced?
  /// - Throws: `.unavailable` if another process has it open, or replaces it. LMDB must not be opened there with its own
  ///   locks by who is alone: closing it would give up the lock.
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
        ? Self.isOpen(folder)
        : TreeError(.unavailable, "The database in \(folder) is being replaced", advice: "Try again when that is done.")
    }
    do throws(TreeError) {
      // Not before nobody in this process can have the database open, whose lock the closing of this file would give up.
      table = isAlone ? try Self.lockTable(in: folder) : nil
    } catch {
      close(file)
      throw error
    }
    self.file = file
  }

  deinit {
    if let table { close(table) }
    close(file)
  }

  /// Takes the lock on the first byte of LMDB's table of readers, and makes the table void: a process that waits for the
  /// lock goes on with the table as it is, and would count commits by the file that was replaced meanwhile. A void one it
  /// refuses, and whoever opens the database next makes it anew.
  private static func lockTable(in folder: String) throws(TreeError) -> Int32 {
    let path = "\(folder)/lock.mdb"
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let table = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    var wanted = flock()
    wanted.l_type = Int16(F_WRLCK)
    wanted.l_whence = Int16(SEEK_SET)
    wanted.l_len = 1
    guard unsafe fcntl(table, F_SETLK, &wanted) == 0 else {
      let code = errno
      close(table)
      throw code == EACCES || code == EAGAIN ? isOpen(folder) : FileSystem.error(code, "cannot lock", path)
    }
    var nothing: UInt32 = 0
    var status = stat()
    do throws(TreeError) {
      try FileSystem.retrying("cannot look at", path) { unsafe fstat(table, &status) }
      // An empty one is made whole by whoever opens the database next.
      if status.st_size > 0 {
        try FileSystem.retrying("cannot write", path) { unsafe pwrite(table, &nothing, MemoryLayout<UInt32>.size, 0) }
      }
    } catch {
      close(table)
      throw error
    }
    return table
  }

  private static func isOpen(_ folder: String) -> TreeError {
    TreeError(.unavailable, "Another program has the database in \(folder) open", advice: "Stop it, and try again.")
  }
}
