#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FileSystem {
  package enum ItemKind: Sendable, Equatable {
    case folder
    case file
    /// A link, a pipe, a device, a socket.
    case other
  }

  /// What stands at `path`, a link counting as itself; nil if it is gone or cannot be looked at.
  package static func look(at path: String) -> (kind: ItemKind, stamp: FileStamp)? {
    var status = stat()
    guard unsafe lstat(path, &status) == 0 else { return nil }
    return (itemKind(status), stamp(status))
  }

  /// The first bytes of a regular file, `count` at most. Links are not followed, pipes do not block.
  ///
  /// - Returns: Nil for anything but a regular file.
  package static func readStart(_ path: String, count: Int) throws(TreeError) -> (bytes: [UInt8], stamp: FileStamp)? {
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
    let file = try retrying("cannot open", path) { unsafe open(path, flags) }
    defer { close(file) }
    var status = stat()
    try retrying("cannot look at", path) { unsafe fstat(file, &status) }
    guard itemKind(status) == .file else { return nil }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = try retrying("cannot read", path) {
        unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress! + filled, count - filled) }
      }
      if got == 0 { break }
      filled += got
    }
    bytes.removeLast(count - filled)
    return (bytes, stamp(status))
  }

  /// Whether this process may make files in a folder.
  package static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK | X_OK) == 0 }

  private static func itemKind(_ status: stat) -> ItemKind {
    switch status.st_mode & S_IFMT {
    case S_IFDIR: .folder
    case S_IFREG: .file
    default: .other
    }
  }

  private static func stamp(_ status: stat) -> FileStamp {
    #if canImport(Glibc)
      let time = status.st_mtim
    #else
      let time = status.st_mtimespec
    #endif
    // A time from outside: beyond what 64 bits of nanoseconds hold it only has to differ, not to be right.
    let modified = Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    return FileStamp(size: Int(status.st_size), modified: modified, inode: UInt64(status.st_ino))
  }
}

extension FileSystem {
  /// Blocks the thread for a moment.
  package static func pause(milliseconds: UInt32) { usleep(milliseconds * 1_000) }
}
