/// Somebody who hears of one kind of event of a query.
final class Observer: Sendable {
  let handle: DatabaseHandle
  let type: DataEventType
  /// Hears of one event only.
  private let isSingle: Bool
  private let call: @Sendable (DataEvent) -> Void
  private let fail: @Sendable (any Error) -> Void
  private let active = Monitor(true)

  init(
    _ type: DataEventType, isSingle: Bool, _ call: @escaping @Sendable (DataEvent) -> Void,
    fail: @escaping @Sendable (any Error) -> Void
  ) {
    handle = Self.handles.withLock { last in
      last += 1
      return last
    }
    self.type = type
    self.isSingle = isSingle
    self.call = call
    self.fail = fail
  }

  private static let handles = Monitor<DatabaseHandle>(0)

  /// Does it hear of anything yet?
  var isActive: Bool { active.withLock { $0 } }

  /// Ends it, unless it has ended: then false.
  @discardableResult
  func end() -> Bool {
    active.withLock { isActive in
      defer { isActive = false }
      return isActive
    }
  }

  /// Tells it, on the caller's thread.
  func tell(_ events: ViewEvent) {
    events.visit { event in
      guard isSingle ? end() : isActive else { return false }
      call(event)
      return !isSingle
    }
  }

  /// Tells it what keeps it from hearing more, on the caller's thread.
  func tell(_ error: any Error) {
    if end() { fail(error) }
  }
}

/// What one observer is told at once.
enum ViewEvent: Sendable {
  case one(DataEvent)
  /// Every child that is there, as additions; the snapshot is of all of them.
  case present(DataSnapshot, [QueryEntry])

  /// Calls `body` with each event, until it returns false.
  func visit(_ body: (DataEvent) -> Bool) {
    switch self {
    case .one(let event): _ = body(event)
    case .present(let snapshot, let entries):
      var previous: Key?
      for entry in entries {
        guard body(DataEvent(.childAdded, snapshot.child(entry.path), after: previous)) else { return }
        previous = entry.key
      }
    }
  }
}
