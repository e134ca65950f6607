internal import CGnuTLS
import OfflineTree

/// One session of GnuTLS between two buffers: the unsafe part of `TLSChannel`, and nothing else.
///
/// It belongs to one queue, like the channel.
@safe
final class TLSSession {
  /// What a call that must not block came to.
  enum Outcome: Equatable {
    case done(Int)
    /// It needs bytes that have not come.
    case starved
    case failed(Int32)
  }

  private let session: gnutls_session_t
  private var clientCredentials: gnutls_psk_client_credentials_t?
  let buffers: TLSBuffers

  /// - Parameter keyring: Nil for the end that dials, which then has to `offer` a key.
  init(keyring: TLSKeyring?) throws(TreeError) {
    let library = try TLSLibrary.shared.get()
    let role: Int32 = keyring == nil ? GNUTLS_CLIENT : GNUTLS_SERVER
    let flags: Int32 = role | GNUTLS_NONBLOCK | GNUTLS_NO_TICKETS
    var made: gnutls_session_t?
    try TLSLibrary.check(unsafe gnutls_init(&made, UInt32(flags)))
    guard let session = unsafe made else { throw TLSLibrary.error(GNUTLS_E_MEMORY_ERROR) }
    unsafe self.session = session
    buffers = TLSBuffers(keyring: keyring)
    try TLSLibrary.check(unsafe gnutls_priority_set(session, library.priority))
    unsafe gnutls_handshake_set_max_packet_length(session, TLSChannel.handshakeMessageBytes)
    // The library would write the secrets to the file that SSLKEYLOGFILE names.
    unsafe gnutls_session_set_keylog_function(session) { _, _, _ in 0 }
    connectBuffers()
    if keyring != nil {
      let credentials = unsafe UnsafeMutableRawPointer(library.serverCredentials)
      try TLSLibrary.check(unsafe gnutls_credentials_set(session, GNUTLS_CRD_PSK, credentials))
      let helloType = UInt32(GNUTLS_HANDSHAKE_CLIENT_HELLO.rawValue)
      unsafe gnutls_handshake_set_hook_function(session, helloType, GNUTLS_HOOK_POST, TLSCallbacks.helloWasRead)
    }
  }

  deinit {
    unsafe gnutls_deinit(session)
    if let credentials = unsafe clientCredentials { unsafe gnutls_psk_free_client_credentials(credentials) }
  }

  /// The callbacks find the buffers by an unretained pointer: they run within calls of this object only, which keeps
  /// the buffers.
  private func connectBuffers() {
    let pointer = unsafe Unmanaged.passUnretained(buffers).toOpaque()
    unsafe gnutls_session_set_ptr(session, pointer)
    unsafe gnutls_transport_set_ptr(session, pointer)
    unsafe gnutls_transport_set_pull_function(session, TLSCallbacks.pull)
    unsafe gnutls_transport_set_push_function(session, TLSCallbacks.push)
    unsafe gnutls_transport_set_errno_function(session, TLSCallbacks.errorNumber)
  }

  /// The key that the end that dials offers, under an identity that says nothing to others.
  func offer(_ identity: [UInt8], key: borrowing Secret) throws(TreeError) {
    try TLSLibrary.check(unsafe gnutls_psk_allocate_client_credentials(&clientCredentials))
    var identity = identity
    let code = unsafe key.withBytes { key in
      unsafe identity.withUnsafeMutableBufferPointer { name in
        // GnuTLS copies both; it only reads what its datum calls mutable.
        let start = unsafe UnsafeMutablePointer(mutating: key.bindMemory(to: UInt8.self).baseAddress)
        var nameDatum = unsafe gnutls_datum_t(data: name.baseAddress, size: UInt32(name.count))
        var keyDatum = unsafe gnutls_datum_t(data: start, size: UInt32(key.count))
        return unsafe gnutls_psk_set_client_credentials2(
          clientCredentials, &nameDatum, &keyDatum, GNUTLS_PSK_KEY_RAW)
      }
    }
    try TLSLibrary.check(code)
    let credentials = unsafe clientCredentials.map { unsafe UnsafeMutableRawPointer($0) }
    try TLSLibrary.check(unsafe gnutls_credentials_set(session, GNUTLS_CRD_PSK, credentials))
  }
}

extension TLSSession {
  func shakeHands() -> Outcome { Self.outcome(Int(unsafe gnutls_handshake(session))) }

  /// Was it agreed as it has to be?
  var isAsAgreed: Bool {
    unsafe gnutls_protocol_get_version(session) == GNUTLS_TLS1_3
      && gnutls_kx_get(session) == GNUTLS_KX_ECDHE_PSK && gnutls_group_get(session) == GNUTLS_GROUP_X25519
  }

  /// Seals up to 16 KiB of `plain`.
  func send(_ plain: ArraySlice<UInt8>) -> Outcome {
    let count = unsafe plain.withUnsafeBytes { unsafe gnutls_record_send(session, $0.baseAddress, $0.count) }
    return Self.outcome(count)
  }

  /// Opens the next record into `buffer`; 0 bytes: the other end says that nothing follows.
  func receive(into buffer: inout [UInt8]) -> Outcome {
    let count = unsafe buffer.withUnsafeMutableBytes {
      unsafe gnutls_record_recv(session, $0.baseAddress, $0.count)
    }
    return Self.outcome(count)
  }

  /// 32 bytes that only the two ends of this session have (RFC 5705).
  func exported(label: StaticString, context: [UInt8]) throws(TreeError) -> Bytes32 {
    var result = [CChar](repeating: 0, count: 32)
    let context = context.map { CChar(bitPattern: $0) }
    let code = label.withUTF8Buffer { label in
      unsafe label.withMemoryRebound(to: CChar.self) { label in
        unsafe gnutls_prf_rfc5705(
          session, label.count, label.baseAddress, context.count, context, result.count, &result)
      }
    }
    try TLSLibrary.check(code)
    return Bytes32(result.map { UInt8(bitPattern: $0) })
  }

  private static func outcome(_ result: Int) -> Outcome {
    switch Int32(clamping: result) {
    case 0...: .done(result)
    case GNUTLS_E_AGAIN, GNUTLS_E_INTERRUPTED: .starved
    case let code: .failed(code)
    }
  }
}
