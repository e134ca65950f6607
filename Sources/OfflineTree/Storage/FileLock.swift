#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The right to change what a small file of the home says: one thread of one process at a time has it.
package enum FileLock {
  /// Runs `body` while nobody else holds the lock; waits for whoever does. The file stays, and holds nothing.
  package static func withLock<R>(_ path: String, _ body: () throws(TreeError) -> R) throws(TreeError) -> R {
    let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW
    let file = try FileSystem.retrying("cannot open", path) { unsafe open(path, flags, 0o600) }
    defer { close(file) }
    try FileSystem.retrying("cannot lock", path) { flock(file, LOCK_EX) }
    return try body()
  }
}
