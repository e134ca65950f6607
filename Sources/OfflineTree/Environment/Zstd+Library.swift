internal import CZstd

extension Zstd {
  /// The version of zstd that runs: "1.5.4".
  package static var libraryVersion: String { unsafe String(cString: ZSTD_versionString()) }
}
