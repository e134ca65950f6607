internal import CGnuTLS
import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// What GnuTLS calls: to move bytes, to find a key, and when a hello was read.
enum TLSCallbacks {
  /// The session's buffers, which `TLSSession` keeps for as long as it calls GnuTLS.
  private static func buffers(_ pointer: UnsafeMutableRawPointer?) -> TLSBuffers? {
    unsafe pointer.map { unsafe Unmanaged<TLSBuffers>.fromOpaque($0).takeUnretainedValue() }
  }

  static let pull: gnutls_pull_func = { pointer, target, count in
    guard let buffers = unsafe buffers(pointer), let target = unsafe target else { return -1 }
    let bytes = buffers.take(count)
    if bytes.isEmpty { return -1 }
    unsafe UnsafeMutableRawBufferPointer(start: target, count: count).copyBytes(from: bytes)
    return bytes.count
  }

  static let push: gnutls_push_func = { pointer, source, count in
    guard let buffers = unsafe buffers(pointer) else { return -1 }
    let bytes = unsafe UnsafeRawBufferPointer(start: source, count: count)
    return unsafe buffers.leave(bytes) ? count : -1
  }

  /// Why `pull` or `push` returned -1.
  static let errorNumber: gnutls_errno_func = { pointer in
    unsafe buffers(pointer)?.isMuzzled == false ? EAGAIN : EPIPE
  }

  /// The key for an identity, in memory that GnuTLS wipes and frees.
  static func lookUp(
    _ session: gnutls_session_t?, _ identity: UnsafePointer<gnutls_datum_t>?,
    _ key: UnsafeMutablePointer<gnutls_datum_t>?
  ) -> Int32 {
    guard let buffers = unsafe buffers(gnutls_session_get_ptr(session)), let key = unsafe key,
      let identity = unsafe identity?.pointee
    else { return -1 }
    let name = unsafe Array(UnsafeBufferPointer(start: identity.data, count: Int(identity.size)))
    return buffers.withKey(of: name) { secret in
      unsafe secret.withBytes { bytes in
        guard let copy = unsafe malloc(bytes.count) else { return -1 }
        unsafe copy.copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        unsafe key.pointee.data = copy.assumingMemoryBound(to: UInt8.self)
        unsafe key.pointee.size = UInt32(bytes.count)
        return 0
      }
    }
  }

  /// Ends the session unless the hello offered a key, as it has to, that is known here: GnuTLS would answer others.
  static let helloWasRead: gnutls_handshake_hook_func = { session, _, _, _, _ in
    let isWithKey = unsafe gnutls_kx_get(session) == GNUTLS_KX_ECDHE_PSK
    let mayGoOn = unsafe buffers(gnutls_session_get_ptr(session))?.helloWasRead(withKey: isWithKey)
    return mayGoOn == true ? 0 : GNUTLS_E_INSUFFICIENT_CREDENTIALS
  }
}
