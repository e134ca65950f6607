internal import Dispatch

/// Observers: called on `Database.callbackQueue`, from what there is on, until they are removed or the database goes.
///
/// Local writes, changes of peers and commits of other processes are told alike, once they are durable. What several
/// commits did may be told at once, as the difference that they made: an observer that is slow hears of the newest, and
/// not of what was between. Of one difference an observed query tells the children that went, that came, that moved and
/// that changed, each kind in the query's order, and its value last; and what is observed further down the tree is told
/// before what is above it. What a commit did not touch is not looked at.
///
/// While children are observed, the key of each child that the query finds, and what orders it, stay in memory: without
/// a limit, those of the whole list. Their values stay only where `childRemoved` is observed. `value` alone keeps nothing
/// of a plain reference. So give a long list a limit.
///
/// An observer does not keep its database: it hears of nothing more once that has gone.
extension DatabaseQuery {
  public typealias EventBlock = @Sendable (DataSnapshot) -> Void
  public typealias SiblingEventBlock = @Sendable (DataSnapshot, _ previousSiblingKey: String?) -> Void
  public typealias CancelBlock = @Sendable (any Error) -> Void

  // MARK: Observing

  /// Calls `block` with each event of a kind. What keeps it from hearing more is told to `Database.failures`.
  @discardableResult
  public func observe(_ type: DataEventType, with block: @escaping EventBlock) -> DatabaseHandle {
    observe(type, with: block, withCancel: failing)
  }

  /// Calls `block` with each event of a kind, and `cancel` once if it can hear of no more: where the query cannot be, or
  /// the database cannot be read. Rules do not forbid a device to read (docs/rules.md).
  @discardableResult
  public func observe(
    _ type: DataEventType, with block: @escaping EventBlock, withCancel cancel: @escaping CancelBlock
  ) -> DatabaseHandle {
    add(type, isSingle: false, { block($0.snapshot) }, cancel)
  }

  /// Calls `block` with each event of a kind, and the key of the child before.
  @discardableResult
  public func observe(
    _ type: DataEventType, andPreviousSiblingKeyWith block: @escaping SiblingEventBlock
  ) -> DatabaseHandle {
    observe(type, andPreviousSiblingKeyWith: block, withCancel: failing)
  }

  /// Calls `block` with each event of a kind and the key of the child before, and `cancel` once if it can hear no more.
  @discardableResult
  public func observe(
    _ type: DataEventType, andPreviousSiblingKeyWith block: @escaping SiblingEventBlock,
    withCancel cancel: @escaping CancelBlock
  ) -> DatabaseHandle {
    add(type, isSingle: false, { block($0.snapshot, $0.previousSiblingKey) }, cancel)
  }

  // MARK: One event

  /// Calls `block` with the first event of a kind, which may be what is there already.
  public func observeSingleEvent(of type: DataEventType, with block: @escaping EventBlock) {
    observeSingleEvent(of: type, with: block, withCancel: failing)
  }

  /// Calls `block` with the first event of a kind, or `cancel` if there can be none.
  public func observeSingleEvent(
    of type: DataEventType, with block: @escaping EventBlock, withCancel cancel: @escaping CancelBlock
  ) {
    add(type, isSingle: true, { block($0.snapshot) }, cancel)
  }

  /// Calls `block` with the first event of a kind, and the key of the child before.
  public func observeSingleEvent(
    of type: DataEventType, andPreviousSiblingKeyWith block: @escaping SiblingEventBlock
  ) {
    observeSingleEvent(of: type, andPreviousSiblingKeyWith: block, withCancel: failing)
  }

  /// Calls `block` with the first event of a kind and the key of the child before, or `cancel` if there can be none.
  public func observeSingleEvent(
    of type: DataEventType, andPreviousSiblingKeyWith block: @escaping SiblingEventBlock,
    withCancel cancel: @escaping CancelBlock
  ) {
    add(type, isSingle: true, { block($0.snapshot, $0.previousSiblingKey) }, cancel)
  }

  /// The first event of a kind, which may be what is there already, and the key of the child before.
  /// - Throws: What keeps the query from being read; `CancellationError` if the task is cancelled before.
  public func observeSingleEventAndPreviousSiblingKey(
    of type: DataEventType
  ) async throws -> (DataSnapshot, String?) {
    var iterator = events(of: type).makeAsyncIterator()
    guard let event = try await iterator.next() else { throw CancellationError() }
    return (event.snapshot, event.previousSiblingKey)
  }

  /// The first event of a kind, which may be what is there already.
  public func observeSingleEvent(of type: DataEventType) async throws -> DataSnapshot {
    try await observeSingleEventAndPreviousSiblingKey(of: type).0
  }

  // MARK: No event

  /// Ends the observer of that handle. Once this has returned, it is not called any more, unless a call is going on on
  /// another thread.
  public func removeObserver(withHandle handle: DatabaseHandle) {
    database.hub.end(at: self) { observer, _ in observer.handle == handle }
  }

  /// Ends all observers of the query; of a plain reference all those of queries at the same place as well, and none
  /// further down.
  public func removeAllObservers() {
    let isPlain = parameters == .all
    database.hub.end(at: self) { [parameters] _, of in isPlain || of == parameters }
  }

  @discardableResult
  private func add(
    _ type: DataEventType, isSingle: Bool, _ call: @escaping @Sendable (DataEvent) -> Void,
    _ cancel: @escaping CancelBlock
  ) -> DatabaseHandle {
    let observer = Observer(type, isSingle: isSingle, call, fail: cancel)
    database.hub.add(observer, to: self)
    return observer.handle
  }

  private var failing: CancelBlock { { [weak database, path] error in database?.failures(error, path) } }
}

/// Reading once.
extension DatabaseQuery {
  private static let reading = DispatchQueue(label: "OfflineTree.getData", attributes: .concurrent)

  /// The answer now: the newest that is on this device, which is all that it knows.
  /// - Throws: What is wrong with the query, or what keeps it from being read.
  public func getData() async throws -> DataSnapshot {
    try await withCheckedThrowingContinuation { continuation in
      Self.reading.async { [self] in continuation.resume(with: Result { try snapshot() }) }
    }
  }

  /// Calls `block` with the answer now, on `Database.callbackQueue`.
  public func getData(completion block: @escaping @Sendable ((any Error)?, DataSnapshot?) -> Void) {
    Self.reading.async { [self] in
      let result = Result { try snapshot() }
      database.callbackQueue.async {
        switch result {
        case .success(let snapshot): block(nil, snapshot)
        case .failure(let error): block(error, nil)
        }
      }
    }
  }

  /// Does nothing, and says so once: every device keeps the whole tree.
  public func keepSynced(_ keepSynced: Bool) {
    database.warn("keepSynced does nothing: every device keeps the whole tree, whether it is asked to or not")
  }
}

extension Database {
  /// What is observed in this database.
  var hub: ObservationHub { attachment(ObservationHub.self) { ObservationHub(self) } }

  /// How often queries were looked at because a commit touched them, since the database was opened: for tests and
  /// measurements.
  package var observerWakes: Int { hub.currentCounts.wakes }

  /// How many different queries are observed now.
  package var observedQueries: Int { hub.currentCounts.views }

  /// How often queries that are observed now were run as a whole, since they are observed.
  package var observedQueryRuns: Int { hub.queryRuns }

  /// Returns once every observer has been told of all commits until now; the callback queue must not be blocked.
  package func settleObservers() async { await hub.settle() }
}
