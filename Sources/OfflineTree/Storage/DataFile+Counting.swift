#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension DataFile {
  private static let transactionOffset = 144

  /// Lets the commits of a compact copy be counted on from those of the file that it was made of.
  ///
  /// LMDB counts them anew: its copy has commit 0 in page 0 and commit 1 in page 1. A home tells older states of itself by
  /// that number, which therefore never falls. LMDB writes commit n into page n & 1; the copy has no free pages, so that
  /// nothing else in it names a commit.
  ///
  /// - Parameter last: The last commit of the other file.
  /// - Returns: The number that the copy's commit has now.
  /// - Throws: `internal` if the copy is otherwise than described here; then it is as it was.
  static func countOn(_ path: String, from last: UInt64) throws(TreeError) -> UInt64 {
    let metas = try SalvageFile(path).metas
    guard metas.map(\.transaction) == [1, 0], metas.allSatisfy({ $0.free.root == nil }) else { throw strange(path) }
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW) }
    defer { close(file) }
    let offset = off_t(metas[0].pageSize + transactionOffset)
    var number: UInt64 = 0
    let size = MemoryLayout<UInt64>.size
    let got = try FileSystem.retrying("cannot read", path) { unsafe pread(file, &number, size, offset) }
    guard got == size, number == 1 else { throw strange(path) }
    number = (last + 1) | 1
    let bytes = unsafe withUnsafeBytes(of: &number) { unsafe Array($0) }
    var done = 0
    while done < size {
      done += try FileSystem.retrying("cannot write", path) {
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe pwrite(file, buffer.baseAddress! + done, size - done, offset + off_t(done))
        }
      }
    }
    guard try SalvageFile(path).metas.map(\.transaction) == [number, 0] else { throw strange(path) }
    return number
  }

  private static func strange(_ path: String) -> TreeError {
    TreeError(
      .internal, "LMDB made \(path) in a way that this program does not know, and nothing was changed",
      advice: "Report this, with the version of LMDB.")
  }
}
