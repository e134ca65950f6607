internal import CLMDB

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

extension Store {
  /// Refuses a place where a database does not survive.
  static func requireLocal(_ path: String, _ options: StoreOptions) throws(TreeError) {
    if !options.allowsNetworkFileSystem, !isCertainlyLocal(path), case let kind = try FileSystem.kind(path),
      kind.isNetwork
    {
      throw TreeError(
        .refused, "\(path) is on a network file system (\(kind.name)), where the database would be damaged",
        advice: "Keep the home on a local disk, and use a folder remote for the network")
    }
    if !options.allowsSyncedFolder, let marker = try syncMarker(above: path) {
      throw TreeError(
        .refused, "\(path) is inside a folder that another program synchronises (\(marker))",
        advice: "Keep the home outside of it, and add that folder as a remote")
    }
  }

  /// Whether the system's number of the file system is that of a local one.
  ///
  /// Only the table of mounts names every kind, and reading it takes longer than all else that opening does.
  private static func isCertainlyLocal(_ path: String) -> Bool {
    #if canImport(Glibc)
      var status = statfs()
      return unsafe statfs(path, &status) == 0 && localKinds.contains(UInt32(truncatingIfNeeded: status.f_type))
    #else
      return false
    #endif
  }

  // From linux/magic.h: ext2 to ext4, XFS, btrfs, F2FS, tmpfs, overlayfs; and ZFS.
  private static let localKinds: [UInt32] = [
    0xEF53, 0x5846_5342, 0x9123_683E, 0xF2F5_2010, 0x0102_1994, 0x794C_7630, 0x2FC1_2FC1,
  ]

  /// What a synchronising program leaves at the root of its folder, in any folder that holds `path`.
  private static func syncMarker(above path: String) throws(TreeError) -> String? {
    var folder = try FileSystem.realPath(path)
    while true {
      for name in [".stfolder", ".dropbox.cache", ".nextcloudsync.log", ".owncloudsync.log"] {
        let marker = folder.utf8.count == 1 ? "/\(name)" : "\(folder)/\(name)"
        if FileSystem.exists(marker) { return marker }
      }
      if folder.utf8.count <= 1 { return nil }
      folder = FileSystem.parent(of: folder)
    }
  }
}
