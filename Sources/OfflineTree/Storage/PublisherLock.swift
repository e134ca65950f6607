#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The right to publish to a home's remotes: one process at a time has it, until it lets go or dies.
///
/// The lock is in the home, never in a synced folder. The file stays: who removed it could let two in.
package final class PublisherLock: Sendable {
  private let file: Int32

  /// Takes the lock without waiting.
  ///
  /// - Throws: `.unavailable` if another process, or another part of this one, has it.
  package init(_ home: Home) throws(TreeError) {
    let path = home.publisherLockPath
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    do throws(TreeError) {
      try FileSystem.retrying("cannot lock", path) { flock(file, LOCK_EX | LOCK_NB) }
    } catch {
      close(file)
      guard error.code == .unavailable else { throw error }
      throw TreeError(
        .unavailable, "Another program synchronises the home \(home.path) already",
        advice: "Let it go on, or stop it first")
    }
    self.file = file
  }

  deinit { close(file) }
}
