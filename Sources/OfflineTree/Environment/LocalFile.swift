#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A regular file of this machine that is read here and there, or written once from its beginning to its end.
///
/// Blocks on the disk: not for the cooperative pool. Reading is safe from any thread.
package final class LocalFile: Sendable {
  package let path: String
  private let file: Int32

  /// Opens a file for reading; links are not followed.
  ///
  /// - Throws: `.notFound`, `.inputOutput` for anything but a regular file.
  package init(reading path: String) throws(TreeError) {
    self.path = path
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw TreeError(.inputOutput, "\(path) is not a regular file", advice: "Move it away and try again")
    }
    self.file = file
  }

  /// Makes a file for its owner alone, in the place of what stood there.
  package init(replacing path: String) throws(TreeError) {
    self.path = path
    try FileSystem.remove(path)
    let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    file = try FileSystem.retrying("cannot create", path) { unsafe open(path, flags, 0o600) }
  }

  deinit { close(file) }

  package func byteCount() throws(TreeError) -> Int {
    var status = stat()
    try FileSystem.retrying("cannot look at", path) { unsafe fstat(file, &status) }
    return Int(status.st_size)
  }

  /// The bytes from `offset` on, fewer where the file ends.
  package func read(_ count: Int, at offset: Int) throws(TreeError) -> [UInt8] {
    try FileSystem.readPart(count, at: UInt64(offset), of: file, path)
  }

  /// Adds to the end; on the disk after the next `sync`.
  package func append(_ bytes: [UInt8]) throws(TreeError) { try FileSystem.writeAll(bytes, to: file, path) }

  package func sync() throws(TreeError) { try FileSystem.retrying("cannot sync", path) { fsync(file) } }
}

extension FileSystem {
  /// The bytes of an open file from `offset` on, fewer where it ends.
  package static func readPart(
    _ count: Int, at offset: UInt64, of file: Int32, _ path: String
  ) throws(TreeError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = try retrying("cannot read", path) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
          unsafe pread(file, buffer.baseAddress! + done, count - done, off_t(offset) + off_t(done))
        }
      }
      if got == 0 { break }
      done += got
    }
    bytes.removeLast(count - done)
    return bytes
  }
}
