#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FileSystem {
  /// Replaces or creates a small file so that, after a crash at any moment, it holds the old bytes or the new ones.
  ///
  /// Writes a temporary name beside it, syncs it, renames it, syncs the folder. Blocks on the disk: not for the
  /// cooperative pool.
  ///
  /// - Parameters:
  ///   - path: The file's final name; its folder exists.
  ///   - mode: The file's permissions, whatever the umask is.
  package static func writeFileDurably(_ path: String, _ bytes: [UInt8], mode: UInt32 = 0o600) throws(TreeError) {
    try SystemFiles().writeDurably(path, bytes, mode: mode, chance: Sodium.randomBytes(8))
  }

  /// Writes and syncs a file that must not exist yet.
  static func writeNewFile(_ path: String, _ bytes: [UInt8], mode: UInt32) throws(TreeError) {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    let file = try retrying("cannot create", path) { unsafe open(path, flags, 0o600) }
    defer { close(file) }
    try retrying("cannot set the permissions of", path) { fchmod(file, mode_t(mode)) }
    try writeAll(bytes, to: file, path)
    try retrying("cannot sync", path) { fsync(file) }
  }

  package static func rename(_ path: String, to name: String) throws(TreeError) {
    #if canImport(Glibc)
      try retrying("cannot give the file its name", name) { unsafe Glibc.rename(path, name) }
    #else
      try retrying("cannot give the file its name", name) { unsafe Darwin.rename(path, name) }
    #endif
  }

  static func writeAll(_ bytes: [UInt8], to file: Int32, _ path: String) throws(TreeError) {
    var written = 0
    while written < bytes.count {
      written += try retrying("cannot write", path) {
        unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress! + written, $0.count - written) }
      }
    }
  }

  /// The bytes of a regular file.
  ///
  /// A link is not followed, and a pipe or device at that name never blocks.
  ///
  /// - Throws: `.notFound`, `.inputOutput` for anything but a regular file, `.limitExceeded` for a longer one.
  package static func readFile(_ path: String, maximumBytes: Int) throws(TreeError) -> [UInt8] {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = try retrying("cannot open", path) { unsafe open(path, flags) }
    defer { close(file) }
    var status = stat()
    try retrying("cannot look at", path) { unsafe fstat(file, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw TreeError(.inputOutput, "\(path) is not a regular file", advice: "Move it away and try again")
    }
    guard status.st_size <= maximumBytes else { throw tooLong(path, maximumBytes) }
    // One byte more than the file's size: a file that grows meanwhile is read on, until the limit says no.
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size) + 1)
    var count = 0
    while true {
      let got = try retrying("cannot read", path) {
        unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress! + count, $0.count - count) }
      }
      if got == 0 { break }
      count += got
      if count > maximumBytes { throw tooLong(path, maximumBytes) }
      if count == bytes.count { bytes.append(contentsOf: repeatElement(0, count: 65_536)) }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  private static func tooLong(_ path: String, _ maximumBytes: Int) -> TreeError {
    TreeError(
      .limitExceeded, "\(path) is longer than \(maximumBytes) bytes", advice: "Check that it is the file that is meant."
    )
  }

  /// Removes a file or an empty folder; that it is gone already is no error.
  package static func remove(_ path: String) throws(TreeError) {
    do throws(TreeError) {
      try retrying("cannot remove", path) {
        let result = unsafe unlink(path)
        return result != 0 && (errno == EISDIR || errno == EPERM) ? unsafe rmdir(path) : result
      }
    } catch {
      if error.code != .notFound { throw error }
    }
  }

  /// The folder that holds `path`.
  package static func parent(of path: String) -> String {
    var bytes = Array(path.utf8)
    while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
  }
}
