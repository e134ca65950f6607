#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension FileSystem {
  /// Makes a folder with exactly these permissions, whatever the umask is; its parent exists.
  ///
  /// - Returns: False if something stood there already; it is left as it was.
  @discardableResult
  package static func makeDirectory(_ path: String, mode: UInt32 = 0o700) throws(TreeError) -> Bool {
    if unsafe mkdir(path, mode_t(mode)) != 0 {
      if errno == EEXIST { return false }
      throw error(errno, "cannot make the folder", path)
    }
    try retrying("cannot set the permissions of", path) { unsafe chmod(path, mode_t(mode)) }
    try syncDirectory(parent(of: path))
    return true
  }

  /// Syncs a folder's list of names to the disk.
  package static func syncDirectory(_ path: String) throws(TreeError) {
    let folder = try retrying("cannot open the folder", path) { unsafe open(path, O_RDONLY | O_CLOEXEC | O_DIRECTORY) }
    defer { close(folder) }
    // File systems that cannot sync a folder say EINVAL; they keep no order that could be asked for.
    if fsync(folder) != 0, errno != EINVAL { throw error(errno, "cannot sync the folder", path) }
  }

  /// The names in a folder, in byte order, without "." and ".."; names that are not UTF-8 are left out.
  package static func list(_ path: String) throws(TreeError) -> [String] {
    guard let folder = unsafe opendir(path) else { throw error(errno, "cannot list the folder", path) }
    defer { unsafe closedir(folder) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(folder) else {
        if errno != 0 { throw error(errno, "cannot list the folder", path) }
        break
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
    }
    names.sort { $0.lexicographicallyPrecedes($1) }
    return names.compactMap { String(validating: $0, as: UTF8.self) }
  }

  /// Refuses a folder that others than its owner can enter, or that somebody else owns.
  package static func requirePrivate(_ path: String) throws(TreeError) {
    var status = stat()
    try retrying("cannot look at", path) { unsafe lstat(path, &status) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw TreeError(.inputOutput, "\(path) is not a folder", advice: "Choose another place, or move it away")
    }
    guard status.st_uid == geteuid() else {
      throw TreeError(
        .inputOutput, "\(path) belongs to user \(status.st_uid), and this program runs as user \(geteuid())",
        advice: "Run it as the owner, or choose another folder")
    }
    let mode = status.st_mode & 0o777
    guard mode == 0o700 else {
      throw TreeError(
        .inputOutput, "\(path) has the permissions \(String(mode, radix: 8)), and must have 700",
        advice: "Run: chmod 700 '\(path)'")
    }
  }
}
