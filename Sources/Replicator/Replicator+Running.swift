public import OfflineTree

/// What happens while a replicator runs.
public enum ReplicatorEvent: Sendable {
  /// Devices can dial this one at that port.
  case listening(port: Int)
  /// An exchange with a folder did something.
  case exchanged(RemoteAddress, SyncReport)
  /// A remote cannot be reached or used now; it is tried again.
  case failed(RemoteAddress, TreeError)
  case connected(PeerIdentity)
  /// A connection ended. Without an identity: somebody dialled this device and could not prove who it is. Such failures,
  /// and those of remotes, are told once a minute for each address and cause, with how often they came.
  case disconnected(PeerIdentity?, TreeError?)
  /// So many changes arrived and are durable.
  case received(Int)
  /// A sentence for the user.
  case note(String)
}

extension Replicator {
  /// Stays in exchange with every remote, and with the devices that dial this one, until the task is cancelled.
  ///
  /// Remotes that are added or removed meanwhile, by another process too, are taken up and let go.
  ///
  /// - Parameters:
  ///   - listen: Where to listen for other devices; port 0 is any that is free. Nil: only dial.
  ///   - events: Called from threads of the replicator; it returns soon.
  /// - Throws: If it cannot listen or the database cannot be read. What remotes do wrong is an event.
  public func run(
    listen: (host: String, port: Int)? = nil, events: @escaping @Sendable (ReplicatorEvent) -> Void = { _ in }
  ) async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    let run = try ReplicatorRun(self, listen: listen, events: events)
    await withTaskCancellationHandler {
      for await _ in stream {}
    } onCancel: {
      continuation.finish()
    }
    run.stop()
  }
}
