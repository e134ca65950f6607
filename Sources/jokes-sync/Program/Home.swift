internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Where a device lives.
enum Home {
  /// `--home`, else `$JOKES_SYNC_HOME`, else the XDG data folder; from the root, as messages should say it.
  /// - Throws: `invalidArgument` for an empty path, or if nothing tells where the user's data is.
  static func path(option: String?) throws(TreeError) -> String {
    if let option {
      if option.isEmpty { throw TreeError(.invalidArgument, "--home is empty", advice: "Name a folder.") }
      return absolutePath(option)
    }
    if let path = environmentVariable("JOKES_SYNC_HOME") { return absolutePath(path) }
    if let data = environmentVariable("XDG_DATA_HOME"), data.hasPrefix("/") { return data + "/jokes-sync" }
    guard let home = environmentVariable("HOME") else {
      throw TreeError(.invalidArgument, "neither $HOME nor $XDG_DATA_HOME is set", advice: "Pass --home PATH.")
    }
    return home + "/.local/share/jokes-sync"
  }
}

/// Nil also if it is empty.
func environmentVariable(_ name: String) -> String? {
  guard let value = unsafe getenv(name), unsafe value.pointee != 0 else { return nil }
  return unsafe String(cString: value)
}
