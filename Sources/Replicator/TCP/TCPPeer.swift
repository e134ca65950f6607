internal import Dispatch
package import OfflineTree

/// A device that listens at an address: exchanges with it once, or stays connected and connects again when that breaks.
///
/// Every method may be called from any thread. It ends with `stop` or the last reference.
package final class TCPPeer: Sendable {
  private struct State {
    /// Changes with every start and stop; what was begun for another run is dropped.
    var run: UInt64 = 0
    var isStarted = false
    var connection: Connection?
    var backOff = BackOff()
  }

  /// Where addresses are looked up and connections made, which blocks.
  private static let dialling = DispatchQueue(label: "OfflineTree.dialling", attributes: .concurrent)
  /// Milliseconds for one address to answer.
  private static let patience: Int32 = 10_000

  private let database: Database
  private let membership: Membership
  private let host: String
  private let port: Int
  private let events: @Sendable (PeerEvent) -> Void
  private let state = Monitor(State())

  /// Connects to nothing yet.
  ///
  /// - Parameter events: Called on queues of the peer's own, in order for each connection; it must not block for long.
  package convenience init(
    database: Database, host: String, port: Int, events: @escaping @Sendable (PeerEvent) -> Void
  ) {
    self.init(database: database, membership: Membership(database), host: host, port: port, events: events)
  }

  init(
    database: Database, membership: Membership, host: String, port: Int,
    events: @escaping @Sendable (PeerEvent) -> Void
  ) {
    self.database = database
    self.membership = membership
    self.host = host
    self.port = port
    self.events = events
  }

  deinit { stop() }

  private var name: String { RemoteAddress.tcp(host: host, port: port).description }

  /// Connects, exchanges until nothing more can come, and closes. A cancelled task ends the exchange; nothing that
  /// arrived is lost.
  ///
  /// - Throws: `unavailable` if nobody answers, nobody there knows the space's key, or the connection breaks;
  ///   `refused` if the other device may not take part, `invalidArgument` for oneself.
  package func syncOnce() async throws -> SyncReport {
    let exchange = Exchange()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        attemptOnce(0, exchange) { continuation.resume(with: $0) }
      }
    } onCancel: {
      exchange.cancel()
    }
  }

  private func attemptOnce(
    _ offer: Int, _ exchange: Exchange, done: @escaping @Sendable (Result<SyncReport, any Error>) -> Void
  ) {
    Self.dialling.async { [self] in
      do throws(TreeError) {
        let connection = try connect(offer: offer, isOnce: true) { [self] closing, isLastOffer in
          if !isLastOffer, !exchange.isCancelled { return attemptOnce(offer + 1, exchange, done: done) }
          events(.disconnected(closing.peer, closing.failure))
          switch closing.end {
          case .finished(.done): done(.success(closing.report))
          case .finished: done(.failure(CancellationError()))
          case .failed(let error): done(.failure(exchange.isCancelled ? CancellationError() : error))
          }
        }
        exchange.begin(connection)
      } catch {
        done(.failure(error))
      }
    }
  }

  /// Stays connected until `stop`; does nothing if it does so already.
  package func start() {
    let run = state.withLock { state -> UInt64? in
      guard !state.isStarted else { return nil }
      state.isStarted = true
      state.run += 1
      state.backOff.reset()
      return state.run
    }
    if let run { attempt(run, offer: 0) }
  }

  /// Says goodbye and connects no more. Returns before the goodbye has arrived.
  package func stop() {
    let connection = state.withLock { state -> Connection? in
      state.isStarted = false
      state.run += 1
      defer { state.connection = nil }
      return state.connection
    }
    connection?.stop()
  }

  /// Dials, and offers one of the keys that this device knows.
  ///
  /// - Parameters:
  ///   - offer: Which key, counted from the newest.
  ///   - closed: The last call. False if the other end did not take the key, and there is an older one to offer.
  private func connect(
    offer: Int, isOnce: Bool, started: (Connection) -> Bool = { _ in true },
    closed: @escaping @Sendable (Connection.Closing, _ isLastOffer: Bool) -> Void
  ) throws(TreeError) -> Connection {
    let offers = try membership.offers()
    let addresses = try SocketAddress.resolve(host: host, port: port, forListening: false)
    let descriptor = try SocketCalls.connected(to: addresses, name, milliseconds: Self.patience)
    let connection = Connection(
      database, membership, .dials(offering: offers[min(offer, offers.count - 1)]), name: name, isOnce: isOnce,
      handlers: Connection.Handlers(
        event: events, closed: { closed($0, !$0.isKeyRefused || offer + 1 >= offers.count) }))
    if started(connection) { connection.start(descriptor) } else { SocketCalls.close(descriptor) }
    return connection
  }

  private func attempt(_ run: UInt64, offer: Int) {
    Self.dialling.async { [weak self] in
      guard let self, isCurrent(run) else { return }
      do throws(TreeError) {
        _ = try connect(offer: offer, isOnce: false, started: { take($0, run) }) { [weak self] closing, isLastOffer in
          self?.connectionClosed(run, closing, offer: offer, isLastOffer)
        }
      } catch {
        events(.disconnected(nil, error))
        retry(run, after: error, seconds: 0)
      }
    }
  }

  /// False if the run is over for which the connection was made.
  private func take(_ connection: Connection, _ run: UInt64) -> Bool {
    state.withLock { state in
      if state.run == run { state.connection = connection }
      return state.run == run
    }
  }

  private func isCurrent(_ run: UInt64) -> Bool { state.withLock { $0.run == run } }

  private func connectionClosed(
    _ run: UInt64, _ closing: Connection.Closing, offer: Int, _ isLastOffer: Bool
  ) {
    if !isLastOffer, isCurrent(run) { return attempt(run, offer: offer + 1) }
    events(.disconnected(closing.peer, closing.failure))
    retry(run, after: closing.failure, seconds: closing.seconds)
  }

  private func retry(_ run: UInt64, after error: TreeError?, seconds: Double) {
    let chance = database.environment.randomBytes(1)[0]
    let wait = state.withLock { state -> Double? in
      guard state.run == run else { return nil }
      state.connection = nil
      if seconds >= BackOff.resetAfter { state.backOff.reset() }
      if let error, [.invalidArgument, .unsupportedVersion].contains(error.code) { state.backOff.jumpToLast() }
      return state.backOff.next(chance: chance)
    }
    guard let wait else { return }
    Self.dialling.asyncAfter(deadline: .now() + wait) { [weak self] in self?.attempt(run, offer: 0) }
  }
}

/// One exchange that its task may cancel before it has begun.
private final class Exchange: Sendable {
  private let state = Monitor<(connection: Connection?, isCancelled: Bool)>((nil, false))

  func begin(_ connection: Connection) {
    let isCancelled = state.withLock { state in
      state.connection = connection
      return state.isCancelled
    }
    if isCancelled { connection.stop() }
  }

  var isCancelled: Bool { state.withLock { $0.isCancelled } }

  func cancel() {
    let connection = state.withLock { state in
      state.isCancelled = true
      return state.connection
    }
    connection?.stop()
  }
}
