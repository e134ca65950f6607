#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Says that whoever bears a name lives: a file that is locked until its owner lets go or dies.
package final class OwnerLock: Sendable {
  private let file: Int32
  private let path: String

  /// Takes the lock without waiting.
  ///
  /// - Throws: `.unavailable` if its owner lives.
  package init(_ path: String) throws(TreeError) {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    do throws(TreeError) {
      try FileSystem.retrying("cannot lock", path) { flock(file, LOCK_EX | LOCK_NB) }
    } catch {
      close(file)
      throw error
    }
    self.file = file
    self.path = path
  }

  deinit { close(file) }

  /// Removes the file: nobody asks for this owner again.
  package func remove() throws(TreeError) { try FileSystem.remove(path) }
}
