package import OfflineTree

/// Everything that reads bytes before a device has proven who it is, for whoever wants to try any bytes on it.
package struct HandshakeInput: Sendable {
  private let epoch: EpochKeys
  private let seen = NonceMemory(capacity: 64)

  package init(_ epoch: EpochKeys) { self.epoch = epoch }

  /// Reads bytes as each of the readers would that a stranger can reach; the first byte chooses which.
  ///
  /// It never traps, and holds no more than the protocol allows, whatever the bytes are.
  package func read(_ bytes: [UInt8]) {
    guard let choice = bytes.first else { return }
    let rest = bytes.dropFirst()
    // What is wrong with the bytes is of no interest here.
    do throws(TreeError) {
      switch choice % 4 {
      case 0: try read(rest, into: try TLSChannel(accepting: TLSKeyring([epoch], seen: seen)))
      case 1: try read(rest, into: try TLSChannel(offering: epoch, nonce: .zero))
      case 2: try readProof(rest, as: .server)
      default: try readProof(rest, as: .client)
      }
    } catch {}
  }

  private func read(_ bytes: ArraySlice<UInt8>, into channel: TLSChannel) throws(TreeError) {
    try channel.received(bytes) { (_) throws(TreeError) in }
    precondition(channel.heldBytes <= TLSChannel.handshakeBytes || channel.isEstablished, "it holds too much")
  }

  private func readProof(_ bytes: ArraySlice<UInt8>, as role: ProofRole) throws(TreeError) {
    var decoder = ProofDecoder(expecting: role == .client ? .server : .client)
    var proof = DeviceProof(
      DeviceProof.Configuration(role: role, space: epoch.space, exporter: .zero, deviceKey: .zero, claim: nil))
    _ = proof.started()
    // In two parts, as they may come.
    for part in [bytes.prefix(bytes.count / 2), bytes.dropFirst(bytes.count / 2)] {
      guard case .proof(let message) = try decoder.received(part) else { continue }
      _ = proof.received(message)
      _ = proof.judged(.member)
    }
    precondition(decoder.rest.count <= ProtocolLimits.earlyBytes, "it holds too much")
  }
}
