internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The file of a backup: read anywhere, written at its end only.
///
/// Nobody locks it, since it may stand in a folder that is synchronised.
final class BackupFile {
  let path: String
  private let file: Int32
  private(set) var byteCount: UInt64

  /// - Parameter isWritten: Makes the file, for its owner alone, if it is missing.
  /// - Throws: `notFound`, `inputOutput` for anything but a regular file.
  init(_ path: String, isWritten: Bool) throws(TreeError) {
    self.path = path
    let flags = (isWritten ? O_RDWR | O_CREAT : O_RDONLY) | O_CLOEXEC | O_NONBLOCK
    let isNew = isWritten && !FileSystem.exists(path)
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    var status = stat()
    guard unsafe fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw TreeError(.inputOutput, "\(path) is not a regular file", advice: "Name another one.")
    }
    (self.file, byteCount) = (file, UInt64(status.st_size))
    if isNew { try FileSystem.syncDirectory(FileSystem.parent(of: path)) }
  }

  deinit { close(file) }

  /// The bytes from `offset` on, fewer where the file ends.
  func read(_ count: Int, at offset: UInt64) throws(TreeError) -> [UInt8] {
    let count = Int(min(UInt64(count), byteCount - min(offset, byteCount)))
    return try FileSystem.readPart(count, at: offset, of: file, path)
  }

  /// Adds to the end; on the disk after the next `sync`.
  func append(_ bytes: [UInt8]) throws(TreeError) {
    var done = 0
    while done < bytes.count {
      let offset = byteCount
      let written = try FileSystem.retrying("cannot write", path) {
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe pwrite(file, buffer.baseAddress! + done, buffer.count - done, off_t(offset))
        }
      }
      done += written
      byteCount += UInt64(written)
    }
  }

  /// Takes away what stands behind `end`.
  func cut(to end: UInt64) throws(TreeError) {
    try FileSystem.retrying("cannot shorten", path) { ftruncate(file, off_t(end)) }
    byteCount = end
  }

  func sync() throws(TreeError) { try FileSystem.retrying("cannot sync", path) { fsync(file) } }
}
