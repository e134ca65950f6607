internal import CLMDB

extension Store {
  /// The version of LMDB that runs: "0.9.24".
  package static var libraryVersion: String {
    var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
    _ = unsafe mdb_version(&major, &minor, &patch)
    return "\(major).\(minor).\(patch)"
  }
}
