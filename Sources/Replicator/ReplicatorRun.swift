internal import Dispatch
internal import OfflineTree

/// A replicator at work: a session for each remote, and the door for devices that dial.
final class ReplicatorRun: @unchecked Sendable {
  private enum Session {
    case folder(FolderSession)
    case tcp(TCPPeer)

    func stop() {
      switch self {
      case .folder(let session): session.stop()
      case .tcp(let peer): peer.stop()
      }
    }
  }

  private let replicator: Replicator
  private let events: @Sendable (ReplicatorEvent) -> Void
  private let queue = DispatchQueue(label: "OfflineTree.Replicator")
  // Touched on `queue` only, the first time before anybody else sees the object.
  private var sessions: [RemoteAddress: Session] = [:]
  private var listener: TCPListener?
  private var observation: CommitObservation?
  private var connectivity: CommitObservation?
  private var isStopped = false
  private var isOffline = false
  /// Where devices can dial this one: of port 0 the one that was free.
  private var listening: (host: String, port: Int)?
  private var changedAt = DispatchTime.now()
  private var collectedAt = DispatchTime.now()
  private let compacting = DispatchQueue(label: "OfflineTree.Replicator.compacting", qos: .utility)
  /// What was last wrong with each folder in this run: told when it changes, and when the run begins.
  private let told = Monitor<[RemoteAddress: [String]]>([:])
  /// Acknowledgements that are not written yet, by remote and home: only the newest of each is worth a write.
  private var unwritten: [String: [PeerIdentity: (event: PeerEvent, isWhole: Bool)]] = [:]
  private var failures = RepeatedFailures()

  init(
    _ replicator: Replicator, listen: (host: String, port: Int)?, events: @escaping @Sendable (ReplicatorEvent) -> Void
  ) throws {
    self.replicator = replicator
    self.events = events
    _ = try replicator.remotes()
    observation = try replicator.database.onCommit { [weak self] in self?.databaseChanged() }
    listening = listen
    isOffline = replicator.database.isOffline
    if !isOffline { try self.listen() }
    queue.sync { reconcile() }
    connectivity = replicator.database.onConnectivity { [weak self] in
      self?.queue.async { [weak self] in self?.connectivityChanged() }
    }
    queue.async { self.connectivityChanged() }
    queue.async { self.keepUp() }
  }

  private func listen() throws(TreeError) {
    guard let place = listening else { return }
    let listener = try TCPListener(database: replicator.database, host: place.host, port: place.port) {
      [weak self] in self?.handle($0, remote: nil)
    }
    self.listener = listener
    listening = (place.host, listener.port)
    events(.listening(port: listener.port))
  }

  private static let upkeepSeconds = 600.0

  /// Ends what has expired and delivers what is due, also while nobody connects.
  private func keepUp() {
    if isStopped { return }
    do {
      try replicator.database.upkeep()
    } catch {
      events(.note("What the space needs could not be done: \(error)"))
    }
    if changedAt + Self.idleSeconds < .now() { compact() }
    collectIfDue()
    queue.asyncAfter(deadline: .now() + Self.upkeepSeconds) { [weak self] in self?.keepUp() }
  }

  /// Removes chunks of files that nothing needs, once an hour.
  private func collectIfDue() {
    guard collectedAt + Self.collectionSeconds < .now() else { return }
    collectedAt = .now()
    Task { [replicator, events] in
      do {
        try await replicator.database.storage.collect()
      } catch {
        events(.note("Chunks of files that nothing needs could not be removed: \(TreeError(anyError: error))"))
      }
    }
  }

  private static let collectionSeconds = 3_600.0

  /// How long nothing has changed when history is compacted.
  private static let idleSeconds = 60.0

  private func compact() {
    compacting.async { [replicator, events] in
      do {
        try replicator.compactIfDue(after: Replicator.hourSeconds)
      } catch {
        events(.note("History could not be compacted: \(TreeError(anyError: error))"))
      }
    }
  }

  func stop() {
    let ended = queue.sync {
      isStopped = true
      observation?.cancel()
      connectivity?.cancel()
      listener?.stop()
      listener = nil
      let all = Array(sessions.values)
      sessions = [:]
      return all
    }
    // Not on the queue: an exchange that is going on may be waiting to report to it.
    for session in ended { session.stop() }
    queue.sync { writeAcknowledgements() }
  }

  private func databaseChanged() {
    queue.async {
      self.changedAt = .now()
      self.reconcile()
      for case .folder(let session) in self.sessions.values { session.databaseChanged() }
    }
  }

  /// Ends all connections, or takes them up again. Folders only pause: their exchanges cannot be broken off.
  private func connectivityChanged() {
    guard !isStopped, isOffline != replicator.database.isOffline else { return }
    isOffline.toggle()
    for case .folder(let session) in sessions.values { session.setPaused(isOffline) }
    if isOffline {
      listener?.stop()
      listener = nil
      for (address, session) in sessions {
        guard case .tcp(let peer) = session else { continue }
        sessions[address] = nil
        peer.stop()
      }
    } else {
      listenAgain()
      reconcile()
    }
  }

  private static let listenAgainSeconds = 1.0

  /// Listens where it did before; as long as that cannot be, it is tried again.
  private func listenAgain() {
    guard !isStopped, !isOffline, listener == nil else { return }
    do throws(TreeError) {
      try listen()
    } catch {
      events(.note("Other devices cannot dial this one yet: \(error)"))
      queue.asyncAfter(deadline: .now() + Self.listenAgainSeconds) { [weak self] in self?.listenAgain() }
    }
  }

  /// Makes the sessions those of the remotes that are listed now.
  private func reconcile() {
    if isStopped { return }
    do {
      let remotes = try replicator.remotes()
      for (address, session) in sessions where !remotes.contains(address) {
        sessions[address] = nil
        // A session ends when its exchange does, and that may take a while.
        DispatchQueue.global().async { session.stop() }
      }
      for address in remotes where sessions[address] == nil && !(isOffline && address.isLive) {
        sessions[address] = start(address)
      }
    } catch {
      events(.note("The list of remotes cannot be read: \(TreeError(anyError: error))"))
    }
  }

  private func start(_ address: RemoteAddress) -> Session {
    switch address {
    case .folder(let path):
      let session = FolderSession(
        database: replicator.database, root: path,
        events: { [weak self] in self?.handle($0, remote: address) },
        finished: { [weak self] in self?.finished(address, $0, $1, isQuiet: $2) })
      session.start(isPaused: isOffline)
      return .folder(session)
    case .tcp(let host, let port):
      let peer = TCPPeer(database: replicator.database, host: host, port: port) { [weak self] in
        self?.handle($0, remote: address)
      }
      peer.start()
      return .tcp(peer)
    }
  }

  /// - Parameter remote: Nil for devices that dialled.
  private func handle(_ event: PeerEvent, remote: RemoteAddress?) {
    switch event {
    case .connected(let peer): events(.connected(peer))
    case .disconnected(let peer?, let error): events(.disconnected(peer, error))
    case .disconnected(nil, let error?):
      queue.async { self.failed(RepeatedFailures.Failure(remote: remote, error: error)) }
    // Stopped before it was known who it is.
    case .disconnected(nil, nil): break
    case .received(let count): events(.received(count))
    case .note(let text): events(.note(text))
    case .acknowledged(let peer, _, _):
      let isWhole = remote?.isLive ?? true
      queue.async { self.gather(event, peer, remote?.description ?? RemoteRecords.incoming, isWhole) }
    case .holds(let peer, let clock): queue.async { self.keep(peer, clock) }
    case .lacks(let peer, let gap): queue.async { self.keep { try self.replicator.noteLack(of: gap, at: peer) } }
    }
  }

  private static let failureSeconds = 60.0

  private func failed(_ failure: RepeatedFailures.Failure) {
    let isFirst = failures.isEmpty
    if failures.isNews(failure) { tell(failure) }
    if isFirst { endMinuteLater() }
  }

  private func tell(_ failure: RepeatedFailures.Failure) {
    if let remote = failure.remote {
      events(.failed(remote, failure.error))
    } else {
      events(.disconnected(nil, failure.error))
    }
  }

  private func endMinuteLater() {
    queue.asyncAfter(deadline: .now() + Self.failureSeconds) { [weak self] in self?.endMinute() }
  }

  private func endMinute() {
    if isStopped { return }
    let (repeated, others) = failures.endMinute()
    for failure in repeated { tell(failure) }
    if let others { events(.note(others)) }
    if !failures.isEmpty { endMinuteLater() }
  }

  /// Writes soon: a connection that streams acknowledges many times a second, and must not wait for a disk.
  private func gather(_ event: PeerEvent, _ home: PeerIdentity, _ remote: String, _ isWhole: Bool) {
    if unwritten.isEmpty { queue.asyncAfter(deadline: .now() + 0.2) { self.writeAcknowledgements() } }
    unwritten[remote, default: [:]][home] = (event, isWhole)
  }

  private func writeAcknowledgements() {
    let all = unwritten
    unwritten = [:]
    for (remote, homes) in all {
      for (event, isWhole) in homes.values { keep { try replicator.keep(event, remote: remote, isWhole: isWhole) } }
    }
  }

  private func keep(_ peer: PeerIdentity, _ clock: VectorClock) { keep { try replicator.keepIfKeeper(peer, clock) } }

  private func keep(_ write: () throws -> Void) {
    do {
      try write()
    } catch {
      events(.note("What a device acknowledged cannot be kept: \(TreeError(anyError: error))"))
    }
  }

  private func finished(_ address: RemoteAddress, _ report: SyncReport, _ error: TreeError?, isQuiet: Bool) {
    let problems = Replicator.problems(report, error)
    let isNew = told.withLock { $0.updateValue(problems, forKey: address) != problems }
    do {
      let before = try replicator.records.outcome(of: address.description)
      if !isQuiet && error == nil || before?.problems != problems {
        let outcome = RemoteRecords.Outcome(time: replicator.environment.wallClock(), problems: problems)
        try replicator.records.setOutcome(outcome, remote: address.description)
      }
      if let error {
        if isNew { events(.failed(address, error)) }
      } else if !isQuiet {
        events(.exchanged(address, report))
      }
    } catch {
      events(.failed(address, TreeError(anyError: error)))
    }
  }
}
