#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Room on the disk for LMDB's table of readers.
///
/// LMDB makes that file as a hole and maps it for writing: on a full disk, the first reader in a new page of it would
/// kill the process. So its pages are taken before LMDB opens it.
enum LockFile {
  /// Enough for 1,024 readers. LMDB reckons their number from the file's size, so that every program uses the same one.
  private static let size = 17 * 4_096

  /// Makes the file if it is missing, and takes its pages.
  ///
  /// Only while this process has no environment there: closing a file gives up all of a process' locks on it.
  ///
  /// - Throws: `.full` if there is no room.
  static func reserve(_ path: String) throws(TreeError) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    defer { close(file) }
    #if canImport(Glibc)
      var status = stat()
      try FileSystem.retrying("cannot look at", path) { unsafe fstat(file, &status) }
      // A file in use keeps its size, which other processes have mapped.
      let code = posix_fallocate(file, 0, status.st_size > 0 ? status.st_size : off_t(size))
      if code != 0 { throw FileSystem.error(code, "cannot make room for", path) }
    #endif
  }
}
