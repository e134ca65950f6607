extension Store {
  /// Refuses a place where a database does not survive.
  static func requireLocal(_ path: String, _ options: StoreOptions) throws(TreeError) {
    let kind = try FileSystem.kind(path)
    if kind.isNetwork, !options.allowsNetworkFileSystem {
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
