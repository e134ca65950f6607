internal import Dispatch
import OfflineTree

@testable import Replicator

/// An end of a connection that holds the space's key and says whatever it is told to: TLS on a real socket, and nothing
/// above it. All on one queue.
final class HandEnd: @unchecked Sendable {
  private let queue = DispatchQueue(label: "test.hand")
  private let state = Monitor<(plain: [UInt8], isEstablished: Bool, isClosed: Bool)>(([], false, false))
  private let stream = Monitor<TLSStream?>(nil)
  /// Where what it hears goes, if not into `plain`.
  private let heard: (@Sendable ([UInt8]) -> Void)?

  /// - Parameters:
  ///   - opening: What it says as soon as TLS stands: nobody waits for a slow test.
  ///   - heard: Gets what it hears.
  init(
    _ channel: sending TLSChannel, _ descriptor: Int32, opening: (@Sendable (TLSChannel) throws -> [UInt8])? = nil,
    heard: (@Sendable ([UInt8]) -> Void)? = nil
  ) {
    self.heard = heard
    let made = TLSStream(
      channel, descriptor, name: "hand", queue: queue,
      handlers: TLSStream.Handlers(
        established: { [self] in
          state.withLock { $0.isEstablished = true }
          guard let stream = stream.withLock(\.self), let bytes = try? opening?(stream.channel) else { return }
          try? stream.send(bytes)
        },
        received: { [self] bytes in
          if let heard { heard(Array(bytes)) } else { state.withLock { $0.plain += bytes } }
        },
        ended: { _ in }, closed: { [self] in state.withLock { $0.isClosed = true } }))
    stream.withLock { $0 = made }
    queue.async { self.stream.withLock(\.self)?.start() }
  }

  /// Dials a listener, with the key of an epoch.
  convenience init(
    to port: Int, _ epoch: EpochKeys, opening: (@Sendable (TLSChannel) throws -> [UInt8])? = nil,
    heard: (@Sendable ([UInt8]) -> Void)? = nil
  ) throws {
    let addresses = try SocketAddress.resolve(host: "127.0.0.1", port: port, forListening: false)
    let descriptor = try SocketCalls.connected(to: addresses, "the listener", milliseconds: 10_000)
    self.init(
      try TLSChannel(offering: epoch, nonce: ChannelPair.nonce()), descriptor, opening: opening, heard: heard)
  }

  /// What the other end said.
  var plain: [UInt8] { state.withLock(\.plain) }
  var isEstablished: Bool { state.withLock(\.isEstablished) }
  var isClosed: Bool { state.withLock(\.isClosed) }

  func send(_ bytes: [UInt8]) {
    queue.async { [self] in
      let stream = stream.withLock(\.self)
      if stream?.channel.isEstablished == true { try? stream?.send(bytes) }
    }
  }

  func close() { queue.async { [self] in stream.withLock(\.self)?.cancel() } }
}
