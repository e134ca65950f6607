#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A regular file that is read or written in pieces; closed with the last reference.
///
/// Each call says where in the file, so that there is no place to keep and any thread may call. Blocks on the disk: not for
/// the cooperative pool.
package final class OpenedFile: Sendable {
  package let path: String
  private let descriptor: Int32

  /// Opens a file that is there; links are followed, a pipe or device never blocks.
  /// - Throws: `.notFound`, `.inputOutput` for anything but a regular file.
  package init(reading path: String) throws(TreeError) {
    self.path = path
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    descriptor = file
    var status = stat()
    try FileSystem.retrying("cannot look at", path) { unsafe fstat(file, &status) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw TreeError(.inputOutput, "\(path) is not a regular file", advice: "Name a file.")
    }
  }

  /// Makes a file that is not there yet, for its owner alone.
  package init(creating path: String) throws(TreeError) {
    self.path = path
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
    descriptor = try FileSystem.retrying("cannot create", path) { unsafe open(path, flags, 0o600) }
  }

  deinit { close(descriptor) }

  /// How long it is now.
  package func byteCount() throws(TreeError) -> UInt64 {
    var status = stat()
    try FileSystem.retrying("cannot look at", path) { unsafe fstat(descriptor, &status) }
    return UInt64(max(0, status.st_size))
  }

  /// The bytes from `offset` on: `count` of them, or fewer where the file ends.
  package func read(at offset: UInt64, count: Int) throws(TreeError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var got = 0
    while got < count {
      let more = try FileSystem.retrying("cannot read", path) {
        unsafe bytes.withUnsafeMutableBytes {
          unsafe pread(descriptor, $0.baseAddress! + got, $0.count - got, off_t(offset) + off_t(got))
        }
      }
      if more == 0 { break }
      got += more
    }
    bytes.removeLast(count - got)
    return bytes
  }

  package func write(_ bytes: [UInt8], at offset: UInt64) throws(TreeError) {
    var written = 0
    while written < bytes.count {
      written += try FileSystem.retrying("cannot write", path) {
        unsafe bytes.withUnsafeBytes {
          unsafe pwrite(descriptor, $0.baseAddress! + written, $0.count - written, off_t(offset) + off_t(written))
        }
      }
    }
  }

  package func sync() throws(TreeError) {
    try FileSystem.retrying("cannot sync", path) { fsync(descriptor) }
  }
}
