#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// The few file operations that OfflineTree needs, over POSIX, each failure a `TreeError`.
package enum FileSystem {
  /// What tells one file or folder of this machine from another, whatever its name.
  package struct Identity: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64
  }

  /// Runs a POSIX call again while a signal interrupts it; any other failure is thrown.
  ///
  /// - Parameter doing: What is being done, as a sentence's beginning: "cannot read".
  @discardableResult
  package static func retrying<Count: SignedInteger>(
    _ doing: String, _ path: String, _ call: () -> Count
  ) throws(TreeError) -> Count {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw error(code, doing, path) }
    }
  }

  /// The one place that turns an `errno` value into an error.
  package static func error(_ code: Int32, _ doing: String, _ path: String) -> TreeError {
    let kind: TreeError.Code
    let advice: String
    switch code {
    case ENOSPC, EDQUOT:
      (kind, advice) = (.full, "Free some space on that volume and try again")
    case ENOENT:
      (kind, advice) = (.notFound, "Check the path")
    case EACCES, EPERM:
      (kind, advice) = (.inputOutput, "Check who owns it and its permissions")
    case EROFS:
      (kind, advice) = (.inputOutput, "The volume is mounted read-only: choose another folder")
    case EMFILE, ENFILE:
      (kind, advice) = (.unavailable, "Close other programs or raise the limit of open files (ulimit -n)")
    case EWOULDBLOCK:
      (kind, advice) = (.unavailable, "Try again when the other program is done with it")
    case ELOOP:
      (kind, advice) = (.inputOutput, "It is a link, and links are not followed here")
    case EIO:
      (kind, advice) = (.inputOutput, "The disk may be failing: look into the system's log, and try again")
    default:
      (kind, advice) = (.inputOutput, "Try again; if it stays so, look into the system's log")
    }
    return TreeError(kind, "\(doing) \(path)", advice: advice, underlying: words(for: code))
  }

  /// The system's own words for an `errno` value.
  package static func words(for code: Int32) -> String {
    // Thread-local or constant memory on the systems that we build for; copied at once.
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }

  /// Device and inode of what `path` names, links followed.
  package static func identity(_ path: String) throws(TreeError) -> Identity {
    var status = stat()
    try retrying("cannot look at", path) { unsafe stat(path, &status) }
    return Identity(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
  }

  /// Whether something stands at `path`; a link counts, wherever it leads.
  package static func exists(_ path: String) -> Bool {
    var status = stat()
    return unsafe lstat(path, &status) == 0
  }

  /// What tells one mounted volume from another. Numbers of devices change when a volume is mounted anew, and not every file
  /// system has a number of its own: either of them being the same is enough.
  package struct Volume: Hashable, Sendable {
    package let device: UInt64
    /// As the file system numbers itself; 0 where it does not.
    package let number: UInt64

    package init(device: UInt64, number: UInt64) { (self.device, self.number) = (device, number) }

    package func isSame(as other: Volume) -> Bool {
      device == other.device || number != 0 && number == other.number
    }
  }

  /// The volume of what `path` names, links followed.
  package static func volume(_ path: String) throws(TreeError) -> Volume {
    var status = statvfs()
    try retrying("cannot look at the volume of", path) { unsafe statvfs(path, &status) }
    return Volume(device: try identity(path).device, number: UInt64(status.f_fsid))
  }

  /// Bytes that an ordinary user can still store on the volume of `path`.
  package static func freeBytes(_ path: String) throws(TreeError) -> UInt64 {
    var status = statvfs()
    try retrying("cannot look at the volume of", path) { unsafe statvfs(path, &status) }
    return UInt64(status.f_bavail) &* UInt64(status.f_frsize)
  }
}
