#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// A look at LMDB's data file before LMDB maps it: what is damaged there would kill the process later.
///
/// ```
/// page 0 and page 1, each:
/// 0    page header: … flags at 10, u16 (8: meta page)
/// 16   magic u32      20   version u32      24   address u64      32   map size u64
/// 40   page size u32                        80   root of the free list u64
/// 88   …                                    128  root of the list of tables u64
/// 136  last page u64                        144  transaction u64
/// ```
/// Integers in the machine's order: the file does not travel between machines.
enum DataFile {
  private struct Meta {
    let pageSize: Int
    let mapSize: UInt64
    let roots: [UInt64]
    let lastPage: UInt64
    let transaction: UInt64
  }

  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let headerBytes = 152

  /// Throws `.damaged` if both meta pages are not what they must be; a missing or empty file is fine.
  static func check(_ path: String) throws(TreeError) {
    let file = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    if file < 0 {
      if errno == ENOENT { return }
      throw FileSystem.error(errno, "cannot open", path)
    }
    defer { close(file) }
    var status = stat()
    try FileSystem.retrying("cannot look at", path) { unsafe fstat(file, &status) }
    if status.st_size == 0 { return }
    let first = try readMeta(file, at: 0, path)
    let second = try readMeta(file, at: first.pageSize, path)
    guard first.pageSize == second.pageSize else { throw damaged(path, "its two heads differ in the size of a page") }
    let newest = first.transaction < second.transaction ? second : first
    try extend(file, size: UInt64(status.st_size), newest, path)
  }

  private static func readMeta(_ file: Int32, at offset: Int, _ path: String) throws(TreeError) -> Meta {
    var bytes = [UInt8](repeating: 0, count: headerBytes)
    let count = try FileSystem.retrying("cannot read", path) {
      unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, off_t(offset)) }
    }
    guard count == headerBytes else { throw damaged(path, "it ends inside its head") }
    let version = bytes.integer(20, as: UInt32.self)
    guard bytes.integer(16, as: UInt32.self) == magic, bytes.integer(10, as: UInt16.self) & 8 != 0 else {
      throw damaged(path, "its head is not LMDB's")
    }
    guard version == 1 else {
      throw TreeError(
        .unsupportedVersion, "\(path) has LMDB's format \(version), and this program reads 1",
        advice: "Use the program that wrote it")
    }
    let pageSize = Int(bytes.integer(40, as: UInt32.self))
    guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1 else {
      throw damaged(path, "its pages cannot have \(pageSize) bytes")
    }
    return Meta(
      pageSize: pageSize, mapSize: bytes.integer(32, as: UInt64.self),
      roots: [bytes.integer(80, as: UInt64.self), bytes.integer(128, as: UInt64.self)],
      lastPage: bytes.integer(136, as: UInt64.self), transaction: bytes.integer(144, as: UInt64.self))
  }

  /// Checks the numbers of pages, and makes the file long enough for the last one.
  ///
  /// LMDB does not write pages that it took and gave back within one transaction, so that a sound file may be a little
  /// short. A file that was cut is short as well, and reading behind its end kills the process. With zeros there, LMDB
  /// finds a page that is no page, and says so.
  private static func extend(_ file: Int32, size: UInt64, _ meta: Meta, _ path: String) throws(TreeError) {
    let pages = meta.mapSize / UInt64(meta.pageSize)
    guard meta.lastPage >= 1, meta.lastPage < pages, pages < 1 << 40 else {
      throw damaged(path, "it says that its last page is \(meta.lastPage) of \(pages)")
    }
    for root in meta.roots where root != .max {
      guard root >= 2, root <= meta.lastPage, (root + 1) * UInt64(meta.pageSize) <= size else {
        throw damaged(path, "it is cut off: the page \(root) is missing")
      }
    }
    let end = (meta.lastPage + 1) * UInt64(meta.pageSize)
    if size >= end { return }
    #if canImport(Glibc)
      // Never shortens, so that a process that writes meanwhile loses nothing.
      let code = posix_fallocate(file, off_t(end) - 1, 1)
      if code == 0 { return }
      if code != ENOSPC { throw FileSystem.error(code, "cannot extend", path) }
    #endif
    // On a full disk nobody else can extend the file either, and a hole needs no room.
    try FileSystem.retrying("cannot extend", path) { ftruncate(file, off_t(end)) }
  }

  private static func damaged(_ path: String, _ why: String) -> TreeError {
    TreeError(.damaged, "\(path) is damaged: \(why)", advice: Store.damageAdvice)
  }
}

extension [UInt8] {
  /// An integer in the machine's order, at an offset that the caller knows to be inside.
  fileprivate func integer<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, as type: T.Type) -> T {
    precondition(offset + MemoryLayout<T>.size <= count)
    return unsafe withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: offset, as: type) }
  }
}
