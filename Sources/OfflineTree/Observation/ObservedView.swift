/// A query that is observed, by any number of observers or by one sequence. Touched on the hub's queue only.
final class ObservedView {
  let location: QueryLocation
  let parameters: QueryParameters
  let node: PathKey
  /// In the order in which views were made.
  let number: UInt64
  /// What commits have touched since it was looked at.
  var touches = Touches()
  /// Those that have been told what there was when they came, and those that have not.
  private(set) var observers: [Observer] = []
  private var newcomers: [Observer] = []
  /// Set for a sequence, which asks by itself.
  let reader: EventReader?

  /// What is known of a query that was looked at.
  private enum Contents {
    /// Of a whole node, of which nobody hears of children: its fingerprint, if it has one.
    case node(Int?)
    /// And the fingerprint of the node itself.
    case children(ObservedChildren, own: Int, keepsCopies: Bool)
    /// Of `.info`.
    case info(Value)
  }

  private var contents: Contents?

  init(_ query: DatabaseQuery, number: UInt64, reader: EventReader? = nil) {
    location = query.location
    parameters = query.parameters
    node = PathKey(query.path)
    self.number = number
    self.reader = reader
  }

  func add(_ observer: Observer) { newcomers.append(observer) }

  var everybody: [Observer] { observers + newcomers }

  func remove(where isGone: (Observer) -> Bool) {
    observers.removeAll(where: isGone)
    newcomers.removeAll(where: isGone)
  }

  var isUnused: Bool { observers.isEmpty && newcomers.isEmpty && reader == nil }

  /// Is there anything to tell, perhaps?
  var isDue: Bool { touches.isAny || !newcomers.isEmpty || contents == nil }

  private var types: DataEventTypes {
    if let reader { return reader.types }
    return everybody.reduce(into: []) { $0.insert(DataEventTypes($1.type)) }
  }
}

extension ObservedView {
  /// What is new since the last look, in the order in which it is told. With a reader, the observer is nil.
  func look(
    _ database: Database, _ view: SnapshotReader, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) -> [(observer: Observer?, event: ViewEvent)] {
    let query = DatabaseQuery(database, location, parameters)
    var events = ViewEvents(query, view, replica)
    if contents != nil, touches.isAny { try update(&events, rows, replica) }
    touches = Touches()
    let arrivals = newcomers
    let isFirst = contents == nil
    try open(query, rows, replica)
    observers += newcomers
    newcomers = []
    if reader != nil {
      if isFirst { try present(to: nil, &events, rows) }
    } else {
      for observer in arrivals { try present(to: observer, &events, rows) }
    }
    return events.told
  }

  /// Makes what is known fit those who hear of it.
  private func open(
    _ query: DatabaseQuery, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) {
    if let info = location.info {
      contents = .info(query.database.value(of: info))
      return
    }
    let types = types
    let needsChildren = parameters != .all || !types.isDisjoint(with: .children)
    let keepsCopies = types.contains(.childRemoved)
    switch contents {
    case .children(_, _, let keeps)? where keeps || !keepsCopies: return
    case .node? where !needsChildren: return
    default: break
    }
    if needsChildren {
      let children = try ObservedChildren(parameters, at: node, keepsCopies: keepsCopies, rows, replica)
      if children.isScan { query.warnOfScan() }
      contents = .children(
        children, own: try Fingerprint.ofNode(node, rows, replica), keepsCopies: keepsCopies)
    } else {
      contents = .node(try Fingerprint.of(node, rows, replica))
    }
  }

  private func present(
    to observer: Observer?, _ events: inout ViewEvents, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let types = observer.map { DataEventTypes($0.type) } ?? types
    if types.contains(.childAdded), let children, !children.isEmpty {
      try events.tellOfPresent(children.window, observer, rows)
    }
    if types.contains(.value) { try events.tellOfValue(children?.window, [observer], rows) }
  }

  var queryRuns: Int { children?.runs ?? 0 }

  private var children: ObservedChildren? {
    if case .children(let children, _, _)? = contents { children } else { nil }
  }

  private func update(
    _ events: inout ViewEvents, _ rows: borrowing StoreTransaction, _ replica: Replica
  ) throws(TreeError) {
    switch contents {
    case nil: return
    case .info(let old):
      let new = events.query.database.value(of: location.info ?? .all)
      contents = .info(new)
      if new != old { try events.tellOfValue(nil, hearing(.value), rows) }
    case .node(let old):
      let new = try Fingerprint.of(node, rows, replica)
      contents = .node(new)
      if old == nil || new == nil || old != new { try events.tellOfValue(nil, hearing(.value), rows) }
    case .children(var children, let oldOwn, let keepsCopies):
      // The enumeration lets go of the children, which are changed in place.
      contents = nil
      let changes = try children.update(touches, rows, replica)
      let own = try Fingerprint.ofNode(node, rows, replica)
      try tell(of: changes, children, &events, rows)
      if !changes.isEmpty || parameters == .all && own != oldOwn {
        try events.tellOfValue(children.window, hearing(.value), rows)
      }
      contents = .children(children, own: own, keepsCopies: keepsCopies)
    }
  }

  private func hearing(_ type: DataEventType) -> [Observer?] {
    if let reader { return reader.types.contains(type) ? [nil] : [] }
    return observers.filter { $0.type == type }
  }

  private func tell(
    of changes: ChildChanges, _ children: ObservedChildren, _ events: inout ViewEvents,
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    let hearingRemoved = hearing(.childRemoved)
    for (entry, copy) in changes.removed { events.tellOfRemoved(entry, copy, hearingRemoved) }
    for (type, entries) in [
      (DataEventType.childAdded, changes.added), (.childMoved, changes.moved), (.childChanged, changes.changed),
    ] {
      try events.tell(of: entries, type, children, hearing(type), rows)
    }
  }
}

extension QueryLocation {
  /// Where it is, whatever it was made of.
  struct Place: Sendable, Hashable {
    var path: Path
    var info: InfoPath?
  }

  var place: Place { Place(path: path, info: info) }
}
