#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The file that a process writes after each of its commits, so that others hear of them.
///
/// LMDB's own file changes before a commit can be seen, and so cannot be watched. What stands in here is the number of
/// the last commit, for people; nobody relies on it.
package final class WakeFile: Sendable {
  private let file: Int32
  private let path: String

  package init(_ home: Home) throws(TreeError) {
    path = home.wakePath
    let path = path
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
  }

  deinit { close(file) }

  /// The number of the last commit that anybody told of; 0 if nobody did.
  ///
  /// - Throws: `.limitExceeded` if the file is longer than any number.
  func lastCommit() throws(TreeError) -> UInt64 {
    var bytes = [UInt8](repeating: 0, count: Self.maximumBytes + 1)
    let (file, path) = (file, path)
    let count = try FileSystem.retrying("cannot read", path) {
      unsafe bytes.withUnsafeMutableBytes { unsafe pread(file, $0.baseAddress, $0.count, 0) }
    }
    if count > Self.maximumBytes {
      throw TreeError(.limitExceeded, "\(path) is longer than \(Self.maximumBytes) bytes", advice: "Remove it")
    }
    return UInt64(String(decoding: bytes[..<count].prefix { $0 != 0x0A }, as: UTF8.self)) ?? 0
  }

  private static let maximumBytes = 64

  /// Wakes who watches. Call it after the commit.
  ///
  /// - Throws: `.full`, `.inputOutput`: others then hear of the commit when they look next.
  package func bump(_ transaction: UInt64) throws(TreeError) {
    let bytes = Array(String(transaction).utf8) + [UInt8(ascii: "\n")]
    let (file, path) = (file, path)
    try FileSystem.retrying("cannot write", path) {
      unsafe bytes.withUnsafeBytes { unsafe pwrite(file, $0.baseAddress, $0.count, 0) }
    }
  }
}
