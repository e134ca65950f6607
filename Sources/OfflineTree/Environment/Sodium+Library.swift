internal import CSodium

extension Sodium {
  /// The version of libsodium that runs: "1.0.18".
  package static var libraryVersion: String { unsafe String(cString: sodium_version_string()) }
}
