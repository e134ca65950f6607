package import OfflineTree

/// One end of a TLS connection without a socket: bytes that came go in, bytes to send come out, and so does what they
/// say.
///
/// docs/protocol.md has the rules. It belongs to one queue. After an error nothing more can be done with it, and
/// nothing that `takeOutput` gives may be sent any more.
package final class TLSChannel {
  /// The largest message of a handshake.
  static let handshakeMessageBytes = 4_096
  /// What the other end may send until the handshake is done.
  package static let handshakeBytes = 8_192
  private static let recordBytes = 16_384

  private let session: TLSSession
  private var plain = [UInt8](repeating: 0, count: TLSChannel.recordBytes)
  private var arrivedBytes = 0
  /// Both ends have shown that they hold the key.
  package private(set) var isEstablished = false
  /// The other end said that nothing follows.
  package private(set) var isAtEnd = false

  /// The end that dials, with the key that it offers.
  package convenience init(offering epoch: EpochKeys, nonce: Bytes16) throws(TreeError) {
    try self.init(identity: TLSIdentity(epoch, nonce: nonce).bytes, key: epoch.preSharedKey)
  }

  /// The end that dials, with any identity and key.
  init(identity: [UInt8], key: borrowing Secret) throws(TreeError) {
    session = try TLSSession(keyring: nil)
    try session.offer(identity, key: key)
    try shakeHands()
  }

  /// The end that listens.
  package init(accepting keyring: TLSKeyring) throws(TreeError) {
    session = try TLSSession(keyring: keyring)
  }

  /// Bytes that came and are kept, because they are not a whole record yet.
  package var heldBytes: Int { session.buffers.heldBytes }

  /// What is to be sent now.
  package func takeOutput() -> [UInt8] { session.buffers.takeOutput() }

  /// Takes bytes that came, and hands out all that they say.
  ///
  /// - Parameter deliver: Gets a piece of a buffer that is written over when it returns.
  /// - Throws: `.unavailable` if the ends do not agree, `.damaged` if a byte was altered.
  package func received(
    _ bytes: ArraySlice<UInt8>, deliver: (ArraySlice<UInt8>) throws(TreeError) -> Void
  ) throws(TreeError) {
    if !isEstablished {
      arrivedBytes += bytes.count
      guard arrivedBytes <= Self.handshakeBytes else { throw Self.disagreement("it sent too much") }
    }
    session.buffers.arrived(bytes)
    if !isEstablished { try shakeHands() }
    // All that is there: what the session has read already, no socket announces again.
    while isEstablished, !isAtEnd {
      switch session.receive(into: &plain) {
      case .done(0): isAtEnd = true
      case .done(let count): try deliver(plain[..<count])
      case .starved: return
      case .failed(let code):
        throw TreeError(
          .damaged, "what came over the connection was altered, or is no TLS", underlying: TLSLibrary.words(for: code))
      }
    }
  }

  private func shakeHands() throws(TreeError) {
    switch session.shakeHands() {
    case .starved: return
    case .failed(let code): throw Self.disagreement(TLSLibrary.words(for: code))
    case .done:
      guard session.isAsAgreed else { throw Self.disagreement("it chose another protocol") }
      isEstablished = true
    }
  }

  /// Seals `plain`, for `takeOutput`. Only once the channel is established.
  package func send(_ plain: ArraySlice<UInt8>) throws(TreeError) {
    precondition(isEstablished, "nothing is said before the handshake is done")
    var rest = plain
    while !rest.isEmpty {
      guard case .done(let count) = session.send(rest.prefix(Self.recordBytes)), count > 0 else {
        throw TreeError(.internal, "TLS does not take what is to be sent")
      }
      rest = rest.dropFirst(count)
    }
  }

  /// 32 bytes that only the two ends of this channel have. Only once it is established.
  package func exported(for space: SpaceID) throws(TreeError) -> Bytes32 {
    precondition(isEstablished, "there is no secret before the handshake is done")
    return try session.exported(label: "EXPORTER-OfflineTree-1", context: space.bytes)
  }

  private static func disagreement(_ words: String?) -> TreeError {
    TreeError(
      .unavailable, "nobody there knows this space's key, or it is another program",
      advice: "Check the address, and that both devices belong to the same space", underlying: words)
  }
}
