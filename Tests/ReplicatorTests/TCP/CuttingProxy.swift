internal import Dispatch
import OfflineTree

@testable import Replicator

/// Stands between two devices, counts what the one that listens says, and cuts each connection after so many bytes.
final class CuttingProxy: Sendable {
  private let socket: ListeningSocket
  private let target: Int
  private let queue = DispatchQueue(label: "test.proxy")
  private let limit: Monitor<Int>
  private let cuts = Monitor(0)
  private let answered = Monitor(0)
  private let ends = Monitor(0)

  var port: Int { socket.port }
  var cutCount: Int { cuts.withLock { $0 } }
  /// Bytes that came from the device that listens, over all connections.
  var answeredBytes: Int { answered.withLock { $0 } }
  /// Connections that have ended.
  var endCount: Int { ends.withLock { $0 } }
  func allow(_ bytes: Int) { limit.withLock { $0 = bytes } }

  init(to port: Int, cutAfter bytes: Int) throws {
    socket = try ListeningSocket(host: "127.0.0.1", port: 0)
    target = port
    limit = Monitor(bytes)
    socket.start(accepted: { [weak self] in self?.join($0) }, failed: { _ in })
  }

  func stop() { socket.close() }

  private func join(_ near: Int32) {
    queue.async { [self] in
      guard let addresses = try? SocketAddress.resolve(host: "127.0.0.1", port: target, forListening: false),
        let far = try? SocketCalls.connected(to: addresses, "target", milliseconds: 5_000)
      else { return SocketCalls.close(near) }
      Pair(
        near, far, queue, limit.withLock { $0 },
        answered: { [self] count in answered.withLock { $0 += count } },
        cut: { [self] in cuts.withLock { $0 += 1 } }, ended: { [self] in ends.withLock { $0 += 1 } }
      ).start()
    }
  }

  /// Two streams that feed each other; all on one queue.
  private final class Pair: @unchecked Sendable {
    private var streams: [ByteStream] = []
    private var left: Int
    private var hasEnded = false
    private let answered: @Sendable (Int) -> Void
    private let cut: @Sendable () -> Void
    private let ended: @Sendable () -> Void

    init(
      _ near: Int32, _ far: Int32, _ queue: DispatchQueue, _ limit: Int, answered: @escaping @Sendable (Int) -> Void,
      cut: @escaping @Sendable () -> Void, ended: @escaping @Sendable () -> Void
    ) {
      left = limit
      self.answered = answered
      self.cut = cut
      self.ended = ended
      streams = [near, far].enumerated().map { index, descriptor in
        ByteStream(
          descriptor, name: "proxy", queue: queue,
          handlers: ByteStream.Handlers(
            received: { [self] in forward($0, from: index) }, ended: { [self] _ in end() }, closed: {}))
      }
    }

    func start() { for stream in streams { stream.start() } }

    private func forward(_ bytes: ArraySlice<UInt8>, from index: Int) {
      if index == 1 { answered(bytes.count) }
      streams[1 - index].send(Array(bytes.prefix(left)))
      left -= bytes.count
      guard left < 0 else { return }
      cut()
      end()
    }

    private func end() {
      if !hasEnded { ended() }
      hasEnded = true
      for stream in streams { stream.cancel() }
    }
  }
}
