#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// LMDB's data file, read page by page without LMDB, which dies of a damaged one.
///
/// Only `pread`: a file that is cut while it is read gives an error and no signal. Pages behind the end are nil, and
/// the rest of a page that was cut is zeros.
package final class SalvageFile: Sendable {
  /// What one of the two meta pages says (the layout is in `DataFile`).
  struct Meta: Equatable, Sendable {
    var pageSize: Int
    var transaction: UInt64
    var lastPage: UInt64
    /// The tree of the free pages, and the tree of the tables.
    var free: Tree
    var tables: Tree
  }

  /// Where a tree of pages begins, and how much is in it.
  struct Tree: Equatable, Sendable {
    var flags: UInt64
    var depth: Int
    /// Branches, leaves, and pages of long values.
    var pages: [UInt64]
    var entries: UInt64
    /// Nil for one without pages.
    var root: UInt64?

    static let byteCount = 48

    /// An `MDB_db`: pad u32 ‖ flags u16 ‖ depth u16 ‖ pages of three kinds u64 ‖ entries u64 ‖ root u64.
    init(_ bytes: ArraySlice<UInt8>) {
      flags = bytes.number(4, 2)
      pages = [8, 16, 24].map { bytes.number($0, 8) }
      depth = Int(bytes.number(6, 2))
      entries = bytes.number(32, 8)
      let page = bytes.number(40, 8)
      root = page == .max ? nil : page
    }
  }

  let path: String
  let pageSize: Int
  /// Pages that begin in the file.
  let pageCount: UInt64
  /// Bytes of the file.
  package let byteCount: UInt64
  /// The heads that can be read, the newest first.
  let metas: [Meta]
  private let file: Int32

  /// - Throws: `.notFound`, `.inputOutput`; never for what is in the file.
  package init(_ path: String) throws(TreeError) {
    let file = try FileSystem.retrying("cannot open", path) {
      unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    }
    do throws(TreeError) {
      guard let size = try FileSystem.regularSize(of: file, path) else {
        throw TreeError(.inputOutput, "\(path) is not a regular file", advice: "Move it away, and try again.")
      }
      byteCount = size
      pageSize = try Self.pageSize(file, path)
      pageCount = (byteCount + UInt64(pageSize) - 1) / UInt64(pageSize)
      metas = try Self.readMetas(file, pageSize, path)
    } catch {
      close(file)
      throw error
    }
    self.file = file
    self.path = path
  }

  deinit { close(file) }

  /// The heads as they are now, the newest first: another process may have committed.
  func currentMetas() throws(TreeError) -> [Meta] { try Self.readMetas(file, pageSize, path) }

  /// A page, filled up with zeros; nil if the file ends before it.
  func page(_ number: UInt64) throws(TreeError) -> [UInt8]? {
    guard number < pageCount else { return nil }
    let bytes = try bytes(at: number * UInt64(pageSize), count: pageSize)
    return bytes.isEmpty ? nil : bytes + [UInt8](repeating: 0, count: pageSize - bytes.count)
  }

  /// What lies in the file from an offset on, as far as it goes.
  func bytes(at offset: UInt64, count: Int) throws(TreeError) -> [UInt8] {
    guard offset < byteCount else { return [] }
    return try Self.read(file, path, at: offset, count: min(count, Int(byteCount - offset)))
  }

  private static func read(
    _ file: Int32, _ path: String, at offset: UInt64, count: Int
  ) throws(TreeError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = try FileSystem.retrying("cannot read", path) {
        unsafe bytes.withUnsafeMutableBytes {
          unsafe pread(file, $0.baseAddress! + done, count - done, off_t(offset) + off_t(done))
        }
      }
      if got == 0 { break }
      done += got
    }
    bytes.removeLast(count - done)
    return bytes
  }

  /// As one of the heads says; LMDB's usual one if neither can be read.
  private static func pageSize(_ file: Int32, _ path: String) throws(TreeError) -> Int {
    if let meta = try readMeta(file, at: 0, path) { return meta.pageSize }
    for shift in 9...16 {
      if let meta = try readMeta(file, at: 1 << shift, path), meta.pageSize == 1 << shift { return 1 << shift }
    }
    return 4_096
  }

  private static func readMetas(_ file: Int32, _ pageSize: Int, _ path: String) throws(TreeError) -> [Meta] {
    var metas: [Meta] = []
    for offset in [0, pageSize] {
      if let meta = try readMeta(file, at: offset, path), meta.pageSize == pageSize { metas.append(meta) }
    }
    return metas.sorted { $0.transaction > $1.transaction }
  }

  private static let magic: UInt64 = 0xBEEF_C0DE
  private static let metaFlag: UInt64 = 8
  private static let headBytes = 152

  private static func readMeta(_ file: Int32, at offset: Int, _ path: String) throws(TreeError) -> Meta? {
    let bytes = try read(file, path, at: UInt64(offset), count: headBytes)[...]
    guard bytes.count == headBytes, bytes.number(16, 4) == magic, bytes.number(20, 4) == 1,
      bytes.number(10, 2) & metaFlag != 0
    else { return nil }
    let pageSize = Int(bytes.number(40, 4))
    guard (512...65_536).contains(pageSize), pageSize.nonzeroBitCount == 1 else { return nil }
    return Meta(
      pageSize: pageSize, transaction: bytes.number(144, 8), lastPage: bytes.number(136, 8),
      free: Tree(bytes[40..<88]), tables: Tree(bytes[88..<136]))
  }
}

extension ArraySlice<UInt8> {
  /// An unsigned integer in the machine's order, little-endian on every machine that LMDB's files of ours are on.
  ///
  /// - Precondition: It lies inside.
  func number(_ offset: Int, _ size: Int) -> UInt64 {
    self[startIndex + offset..<startIndex + offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
