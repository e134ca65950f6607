#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FileSystem {
  /// Takes the lock on a file's first byte, alone; made if it is missing. Goes with the file descriptor that comes back.
  ///
  /// - Throws: `unavailable` if another process holds it, alone or with others.
  static func lockOut(_ path: String) throws(TreeError) -> Int32 {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = try retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    var wanted = flock()
    wanted.l_type = Int16(F_WRLCK)
    wanted.l_whence = Int16(SEEK_SET)
    wanted.l_len = 1
    if unsafe fcntl(file, F_SETLK, &wanted) == 0 { return file }
    close(file)
    throw TreeError(
      .unavailable, "\(path) is locked by another process", advice: "Stop what runs with this home, and try again.")
  }

  /// Bytes of a file.
  static func size(of path: String) throws(TreeError) -> Int {
    var status = stat()
    try retrying("cannot look at", path) { unsafe stat(path, &status) }
    return Int(status.st_size)
  }

  /// Brings what was written to a file to the disk.
  static func sync(_ path: String) throws(TreeError) {
    let file = try retrying("cannot open", path) { unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
    defer { close(file) }
    try retrying("cannot sync", path) { fsync(file) }
  }
}
