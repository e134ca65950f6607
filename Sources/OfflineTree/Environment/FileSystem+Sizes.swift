#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FileSystem {
  /// Bytes of a file.
  static func size(of path: String) throws(TreeError) -> Int {
    var status = stat()
    try retrying("cannot look at", path) { unsafe stat(path, &status) }
    return Int(status.st_size)
  }

  /// Bytes of an open file; nil if it is none that holds bytes.
  static func regularSize(of file: Int32, _ path: String) throws(TreeError) -> UInt64? {
    var status = stat()
    try retrying("cannot look at", path) { unsafe fstat(file, &status) }
    return status.st_mode & S_IFMT == S_IFREG ? UInt64(status.st_size) : nil
  }

  /// Brings what was written to a file to the disk.
  static func sync(_ path: String) throws(TreeError) {
    let file = try retrying("cannot open", path) { unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
    defer { close(file) }
    try retrying("cannot sync", path) { fsync(file) }
  }
}
