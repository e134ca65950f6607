package import OfflineTree

/// Listens for other devices of the space and exchanges with each, for as long as it stands.
///
/// Every method may be called from any thread. It ends with `stop` or the last reference.
package final class TCPListener: Sendable {
  /// Connections whose other end has not said who it is; one more, and the oldest gives way.
  package static let handshakes = 64
  /// Connections of others in all.
  package static let connections = 512

  private struct State {
    var isStopped = false
    var nextNumber: UInt64 = 0
    var proven: [UInt64: Connection] = [:]
    /// Oldest first.
    var unproven: [Handshake] = []

    /// The oldest that was not told to go, if there are too many.
    mutating func displaced() -> Connection? {
      guard unproven.count(where: { !$0.isDisplaced }) > TCPListener.handshakes,
        let index = unproven.firstIndex(where: { !$0.isDisplaced })
      else { return nil }
      unproven[index].isDisplaced = true
      return unproven[index].connection
    }
  }

  private struct Handshake {
    let number: UInt64
    let connection: Connection
    var isDisplaced = false
  }

  private let socket: ListeningSocket
  private let database: Database
  private let events: @Sendable (PeerEvent) -> Void
  private let state = Monitor(State())

  /// Listens at once. Looks the host up, and so may block for as long as the name service takes.
  ///
  /// - Parameters:
  ///   - host: The address to listen on: `127.0.0.1` for this machine alone, `0.0.0.0` or `::` for every network.
  ///   - port: 0 for any.
  ///   - events: Called on queues of the listener's own, in order for each connection; it must not block for long.
  /// - Throws: `unavailable` if the port is in use or the address is not this machine's.
  package init(
    database: Database, host: String, port: Int, events: @escaping @Sendable (PeerEvent) -> Void
  ) throws(TreeError) {
    socket = try ListeningSocket(host: host, port: port)
    self.database = database
    self.events = events
    socket.start(
      accepted: { [weak self] descriptor in
        if let self { take(descriptor) } else { SocketCalls.close(descriptor) }
      },
      failed: { error in events(.disconnected(nil, error)) })
  }

  /// The port that it listens on, also if it was asked for port 0.
  package var port: Int { socket.port }

  deinit { stop() }

  /// Says goodbye to everybody and listens no more. Returns before the goodbyes have arrived.
  package func stop() {
    let connections = state.withLock { state -> [Connection] in
      guard !state.isStopped else { return [] }
      state.isStopped = true
      return Array(state.proven.values) + state.unproven.map(\.connection)
    }
    socket.close()
    for connection in connections { connection.stop() }
  }

  private func take(_ descriptor: Int32) {
    let number = state.withLock { state in
      state.nextNumber += 1
      return state.nextNumber
    }
    let connection = Connection(
      database, name: SocketAddress.peerName(of: descriptor), isOnce: false,
      handlers: Connection.Handlers(
        event: events, proven: { [weak self] in self?.proved(number) },
        closed: { [weak self] _, _, _ in self?.closed(number) }))
    let (displaced, isStopped) = state.withLock { state -> (Connection?, Bool) in
      if state.isStopped { return (nil, true) }
      state.unproven.append(Handshake(number: number, connection: connection))
      return (state.displaced(), false)
    }
    guard !isStopped else { return SocketCalls.close(descriptor) }
    connection.start(descriptor)
    displaced?.giveWay(
      TreeError(.unavailable, "too many devices connect at once", advice: "Try again later"))
  }

  private func proved(_ number: UInt64) {
    let surplus = state.withLock { state -> Connection? in
      guard let index = state.unproven.firstIndex(where: { $0.number == number }) else { return nil }
      let connection = state.unproven.remove(at: index).connection
      if state.proven.count >= Self.connections { return connection }
      state.proven[number] = connection
      return nil
    }
    surplus?.refuse(
      TreeError(.unavailable, "\(Self.connections) devices are connected already", advice: "Try again later"))
  }

  private func closed(_ number: UInt64) {
    state.withLock { state in
      state.proven[number] = nil
      state.unproven.removeAll { $0.number == number }
    }
  }
}
