/// Whether this process may talk to others, and whether it does.
struct Connectivity: Sendable {
  /// Connections to devices that have proven who they are.
  var connections = 0
  var isOffline = false
  var handlers: [UInt64: @Sendable () -> Void] = [:]
  var lastHandler: UInt64 = 0

  var isConnected: Bool { connections > 0 && !isOffline }
}

extension Database {
  /// Ends every connection of this process, and exchanges nothing, folders included, until `goOnline`.
  ///
  /// The devices at the other ends are told. What is written meanwhile is kept, and exchanged later. What was asked for
  /// with `onDisconnect…` is done. Returns before that is so.
  public func goOffline() { setOffline(true) }

  /// Takes up again what `goOffline` ended, at once.
  public func goOnline() { setOffline(false) }

  /// Has `goOffline` been called, and not `goOnline`?
  public var isOffline: Bool { connectivity.withLock { $0.isOffline } }

  /// Is there a connection of this process to another device?
  package var isConnected: Bool { connectivity.withLock { $0.isConnected } }

  private func setOffline(_ isOffline: Bool) {
    let hasChanged = connectivity.withLock { connectivity in
      defer { connectivity.isOffline = isOffline }
      return connectivity.isOffline != isOffline
    }
    guard hasChanged else { return }
    tellOfConnectivity()
    if isOffline { disconnected() }
  }

  /// A device has proven who it is, and stays connected.
  package func connectionOpened() {
    connectivity.withLock { $0.connections += 1 }
    tellOfConnectivity()
  }

  /// What `connectionOpened` told of is over.
  package func connectionClosed() {
    let isLast = connectivity.withLock { connectivity in
      connectivity.connections -= 1
      return connectivity.connections == 0
    }
    tellOfConnectivity()
    if isLast { disconnected() }
  }

  /// Calls `handler` whenever `isOffline` or `isConnected` may be another, on the thread that made it so: it returns soon.
  package func onConnectivity(_ handler: @escaping @Sendable () -> Void) -> CommitObservation {
    let number = connectivity.withLock { connectivity in
      connectivity.lastHandler += 1
      connectivity.handlers[connectivity.lastHandler] = handler
      return connectivity.lastHandler
    }
    return CommitObservation { [weak self] in
      self?.connectivity.withLock { $0.handlers[number] = nil }
    }
  }

  private func tellOfConnectivity() {
    for handler in connectivity.withLock({ Array($0.handlers.values) }) { handler() }
  }
}
