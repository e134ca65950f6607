/// Events of one look at a query, put together within one view of the tree.
struct ViewEvents {
  let query: DatabaseQuery
  /// The view, for snapshots that hold on to it.
  private let reader: SnapshotReader
  private let replica: Replica
  private(set) var told: [(observer: Observer?, event: ViewEvent)] = []
  /// One of all children that count, for many events.
  private var whole: DataSnapshot?

  /// Beyond so many events their snapshots are parts of one of the whole.
  private static let fewEvents = 16

  init(_ query: DatabaseQuery, _ reader: SnapshotReader, _ replica: Replica) {
    self.query = query
    self.reader = reader
    self.replica = replica
  }

  mutating func tellOfPresent(
    _ window: [QueryEntry], _ observer: Observer?, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    told.append((observer, .present(try snapshot(window, rows), window)))
  }

  /// - Parameter window: The children that count; nil for a whole node.
  mutating func tellOfValue(
    _ window: [QueryEntry]?, _ observers: [Observer?], _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if observers.isEmpty { return }
    let event = ViewEvent.one(DataEvent(.value, try snapshot(window, rows)))
    for observer in observers { told.append((observer, event)) }
  }

  mutating func tellOfRemoved(_ entry: QueryEntry, _ copy: CopiedNode?, _ observers: [Observer?]) {
    if observers.isEmpty { return }
    let source = copy ?? CopiedNode(base: entry.path, copy: .null, shown: [:])
    let event = ViewEvent.one(DataEvent(.childRemoved, DataSnapshot(reference(entry.path), source)))
    for observer in observers { told.append((observer, event)) }
  }

  mutating func tell(
    of entries: [QueryEntry], _ type: DataEventType, _ children: ObservedChildren, _ observers: [Observer?],
    _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    if observers.isEmpty || entries.isEmpty { return }
    let whole = entries.count > Self.fewEvents ? try snapshot(children.window, rows) : nil
    for entry in entries {
      let snapshot =
        if let whole { whole.child(entry.path) } else {
          try reference(entry.path).snapshot(of: nil, in: reader, rows, replica)
        }
      let event = ViewEvent.one(DataEvent(type, snapshot, after: children.previous(entry)))
      for observer in observers { told.append((observer, event)) }
    }
  }

  private mutating func snapshot(
    _ window: [QueryEntry]?, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> DataSnapshot {
    if let whole { return whole }
    let snapshot: DataSnapshot
    if let info = query.location.info {
      snapshot = query.snapshot(of: info)
    } else {
      let isWhole = query.parameters == .all
      snapshot = try query.snapshot(of: isWhole ? nil : window.map { QueryWindow($0) }, in: reader, rows, replica)
    }
    whole = snapshot
    return snapshot
  }

  private func reference(_ path: PathKey) -> DatabaseReference {
    var location = query.location
    location.path = path.path
    return DatabaseReference(query.database, location)
  }
}
