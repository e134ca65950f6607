internal import CGnuTLS
import OfflineTree

/// What all sessions of GnuTLS in this process share. Made once, and only read from then on, which GnuTLS allows from any
/// thread.
@safe
final class TLSLibrary: @unchecked Sendable {
  private static let priorities =
    "NORMAL:-VERS-ALL:+VERS-TLS1.3:-KX-ALL:+ECDHE-PSK:-CIPHER-ALL:+AES-128-GCM:+CHACHA20-POLY1305"
    + ":-GROUP-ALL:+GROUP-X25519:%DISABLE_TLS13_COMPAT_MODE"

  static let shared: Result<TLSLibrary, TreeError> = {
    do throws(TreeError) {
      return .success(try TLSLibrary())
    } catch {
      return .failure(error)
    }
  }()

  let priority: gnutls_priority_t
  let serverCredentials: gnutls_psk_server_credentials_t

  private init() throws(TreeError) {
    var priority: gnutls_priority_t?
    try Self.check(unsafe gnutls_priority_init(&priority, Self.priorities, nil))
    var credentials: gnutls_psk_server_credentials_t?
    try Self.check(unsafe gnutls_psk_allocate_server_credentials(&credentials))
    guard let priority = unsafe priority, let credentials = unsafe credentials else {
      throw Self.error(GNUTLS_E_MEMORY_ERROR)
    }
    unsafe gnutls_psk_set_server_credentials_function2(credentials) { unsafe TLSCallbacks.lookUp($0, $1, $2) }
    unsafe self.priority = priority
    unsafe serverCredentials = credentials
  }

  static func check(_ code: Int32) throws(TreeError) {
    if code < 0 { throw error(code) }
  }

  /// The one place that turns a result of GnuTLS into an error.
  static func error(_ code: Int32) -> TreeError {
    TreeError(
      code == GNUTLS_E_MEMORY_ERROR ? .full : .internal, "GnuTLS cannot be used", advice: "Update the library",
      underlying: words(for: code))
  }

  static func words(for code: Int32) -> String? {
    // Constant text of the library.
    unsafe gnutls_strerror(code).map { unsafe String(cString: $0) }
  }
}
