internal import Dispatch
package import OfflineTree

/// Listens for other devices of the space and exchanges with each, for as long as it stands.
///
/// Every method may be called from any thread. It ends with `stop` or the last reference.
package final class TCPListener: Sendable {
  private struct State {
    var isStopped = false
    var doorway = Doorway<Connection>()
  }

  private let socket: ListeningSocket
  private let database: Database
  private let membership: Membership
  private let events: @Sendable (PeerEvent) -> Void
  private let seen = NonceMemory()
  private let state = Monitor(State())

  /// Listens at once. Looks the host up, and so may block for as long as the name service takes.
  ///
  /// - Parameters:
  ///   - host: The address to listen on: `127.0.0.1` for this machine alone, `0.0.0.0` or `::` for every network.
  ///   - port: 0 for any.
  ///   - events: Called on queues of the listener's own, in order for each connection; it must not block for long.
  /// - Throws: `unavailable` if the port is in use or the address is not this machine's.
  package convenience init(
    database: Database, host: String, port: Int, events: @escaping @Sendable (PeerEvent) -> Void
  ) throws(TreeError) {
    try self.init(database: database, membership: Membership(database), host: host, port: port, events: events)
  }

  init(
    database: Database, membership: Membership, host: String, port: Int,
    events: @escaping @Sendable (PeerEvent) -> Void
  ) throws(TreeError) {
    socket = try ListeningSocket(host: host, port: port)
    self.database = database
    self.membership = membership
    self.events = events
    socket.start(
      accepted: { [weak self] descriptor in
        if let self { take(descriptor) } else { SocketCalls.close(descriptor) }
      },
      failed: { error in events(.disconnected(nil, error)) })
  }

  /// The port that it listens on, also if it was asked for port 0.
  package var port: Int { socket.port }
  /// Connections whose other end has not proven who it is.
  package var halfOpenCount: Int { state.withLock { $0.doorway.halfOpenCount } }

  deinit { stop() }

  /// Says goodbye to everybody and listens no more. Returns before the goodbyes have arrived.
  package func stop() {
    let connections = state.withLock { state -> [Connection] in
      guard !state.isStopped else { return [] }
      state.isStopped = true
      return state.doorway.guests
    }
    socket.close()
    for connection in connections { connection.stop() }
  }

  private func take(_ descriptor: Int32) {
    let number = state.withLock { $0.doorway.number() }
    let connection = Connection(
      database, membership, .listens(seen), name: SocketAddress.peerName(of: descriptor), isOnce: false,
      handlers: Connection.Handlers(
        event: events,
        keyed: { [weak self] in self?.state.withLock { $0.doorway.keyed(number) } },
        proven: { [weak self] admission in self?.proved(number, admission) },
        closed: { [weak self] closing in self?.closed(number, closing) }))
    let address = SocketAddress.peerNetwork(of: descriptor)
    let (displaced, isCrowded, isStopped) = state.withLock { state -> (Connection?, Bool, Bool) in
      if state.isStopped { return (nil, false, true) }
      let displaced = state.doorway.enter(connection, number: number, address: address)
      return (displaced, state.doorway.isCrowded, false)
    }
    guard !isStopped else { return SocketCalls.close(descriptor) }
    // Else memory would be held by those who were told to go and had no turn yet.
    if isCrowded { socket.hold() }
    connection.start(descriptor)
    displaced?.giveWay(
      TreeError(.unavailable, "too many devices connect at once", advice: "It is the oldest that gives way"))
  }

  private func proved(_ number: UInt64, _ admission: Admission) {
    let surplus = state.withLock { $0.doorway.proved(number, isMember: admission == .member) }
    surplus?.refuse(
      TreeError(.unavailable, "as many devices are connected as there are places", advice: "Try again later"))
  }

  private func closed(_ number: UInt64, _ closing: Connection.Closing) {
    let isCrowded = state.withLock { state in
      state.doorway.left(number)
      return state.doorway.isCrowded
    }
    if !isCrowded { socket.letGo() }
    events(.disconnected(closing.peer, closing.failure))
  }
}
