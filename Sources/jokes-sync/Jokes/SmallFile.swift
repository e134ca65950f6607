internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A file of a few bytes, replaced as a whole.
enum SmallFile {
  /// Nil if there is none.
  static func read(_ path: String, limit: Int) throws(TreeError) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw systemError("cannot read \(path)")
    }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    while let chunk = try InputFile.read(descriptor, what: path) {
      bytes += chunk
      if bytes.count > limit { throw TreeError(.damaged, "\(path) has more than \(limit) bytes") }
    }
    return bytes
  }

  /// Readers see the old file or the new one; the new one is on the disk when this returns.
  static func write(_ bytes: [UInt8], to path: String) throws(TreeError) {
    let temporary = "\(path).\(getpid()).tmp"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw systemError("cannot write \(temporary)") }
    do throws(TreeError) {
      defer { close(descriptor) }
      try writeAll(bytes, to: descriptor, what: temporary)
      guard fsync(descriptor) == 0 else { throw systemError("cannot write \(temporary)") }
    } catch {
      unsafe unlink(temporary)
      throw error
    }
    guard unsafe rename(temporary, path) == 0 else { throw systemError("cannot write \(path)") }
    let folder = unsafe open(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { throw systemError("cannot open the folder of \(path)") }
    defer { close(folder) }
    guard fsync(folder) == 0 else { throw systemError("cannot write the folder of \(path)") }
  }
}
