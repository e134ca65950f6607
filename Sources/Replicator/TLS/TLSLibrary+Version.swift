internal import CGnuTLS

extension TLSLibrary {
  /// The version of GnuTLS that runs: "3.7.9".
  static var libraryVersion: String {
    // Asked for no version in particular, it tells its own.
    guard let version = unsafe gnutls_check_version(nil) else { return "unknown" }
    return unsafe String(cString: version)
  }
}
