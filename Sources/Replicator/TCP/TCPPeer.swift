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
  private let host: String
  private let port: Int
  private let events: @Sendable (PeerEvent) -> Void
  private let state = Monitor(State())

  /// Connects to nothing yet.
  ///
  /// - Parameter events: Called on queues of the peer's own, in order for each connection; it must not block for long.
  package init(database: Database, host: String, port: Int, events: @escaping @Sendable (PeerEvent) -> Void) {
    self.database = database
    self.host = host
    self.port = port
    self.events = events
  }

  deinit { stop() }

  private var name: String { RemoteAddress.tcp(host: host, port: port).description }

  /// Connects, exchanges until nothing more can come, and closes. A cancelled task ends the exchange; nothing that
  /// arrived is lost.
  ///
  /// - Throws: `unavailable` if nobody answers or the connection breaks, `invalidArgument` for another space or oneself.
  package func syncOnce() async throws -> SyncReport {
    let exchange = Exchange()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        Self.dialling.async { [self] in
          do throws(TreeError) {
            let descriptor = try dial()
            let connection = makeConnection(isOnce: true) { end, report, _ in
              switch end {
              case .finished(.done): continuation.resume(returning: report)
              case .finished: continuation.resume(throwing: CancellationError())
              case .failed(let error): continuation.resume(throwing: error)
              }
            }
            connection.start(descriptor)
            exchange.begin(connection)
          } catch {
            continuation.resume(throwing: error)
          }
        }
      }
    } onCancel: {
      exchange.cancel()
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
    if let run { attempt(run) }
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

  private func dial() throws(TreeError) -> Int32 {
    let addresses = try SocketAddress.resolve(host: host, port: port, forListening: false)
    return try SocketCalls.connected(to: addresses, name, milliseconds: Self.patience)
  }

  private func makeConnection(
    isOnce: Bool, closed: @escaping @Sendable (SessionEnd, SyncReport, Double) -> Void
  ) -> Connection {
    Connection(
      database, name: name, isOnce: isOnce,
      handlers: Connection.Handlers(event: events, proven: {}, closed: closed))
  }

  private func attempt(_ run: UInt64) {
    Self.dialling.async { [weak self] in
      guard let self, isCurrent(run) else { return }
      do throws(TreeError) {
        let descriptor = try dial()
        let connection = makeConnection(isOnce: false) { [weak self] end, _, seconds in
          self?.connectionClosed(run, end, seconds)
        }
        let isWanted = state.withLock { state in
          if state.run == run { state.connection = connection }
          return state.run == run
        }
        guard isWanted else { return SocketCalls.close(descriptor) }
        connection.start(descriptor)
      } catch {
        events(.disconnected(nil, error))
        retry(run, after: error, seconds: 0)
      }
    }
  }

  private func isCurrent(_ run: UInt64) -> Bool { state.withLock { $0.run == run } }

  private func connectionClosed(_ run: UInt64, _ end: SessionEnd, _ seconds: Double) {
    var failure: TreeError?
    if case .failed(let error) = end { failure = error }
    retry(run, after: failure, seconds: seconds)
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
    Self.dialling.asyncAfter(deadline: .now() + wait) { [weak self] in self?.attempt(run) }
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

  func cancel() {
    let connection = state.withLock { state in
      state.isCancelled = true
      return state.connection
    }
    connection?.stop()
  }
}
