internal import Dispatch

/// Everything that is observed in one database: learns of commits, of whatever process, and tells whom they touch.
///
/// One look after a commit, in one view of the tree, serves all observers. While observers are being told of one look,
/// the next waits, and then tells of everything since: however slow they are, nothing queues up. Sequences ask for
/// themselves, and do not wait for observers.
final class ObservationHub: @unchecked Sendable {
  // Everything but the monitors is touched on `queue` only.
  private let queue = DispatchQueue(label: "OfflineTree.ObservationHub")
  /// The hub lasts as long as its database, which observers need not keep.
  private weak let database: Database?
  private var paths = ObservedPaths()
  private var infos: [ObservedView] = []
  /// Views of observers, and of sequences, that have something to tell, perhaps; by their numbers.
  private var due: [UInt64: ObservedView] = [:]
  private var dueReaders: [UInt64: ObservedView] = [:]
  private var lastView: UInt64 = 0
  /// The commit up to which it is known what was touched.
  private var lastCommit: UInt64?
  private var commits: CommitObservation?
  private var connectivity: CommitObservation?
  private var isTelling = false
  private var settling: [CheckedContinuation<Void, Never>] = []
  private let isLookQueued = Monitor(false)
  /// Every observer that has not ended, by where it observes.
  private let known = Monitor<
    [QueryLocation.Place: [DatabaseHandle: (observer: Observer, parameters: QueryParameters)]]
  >(
    [:])
  private let counts = Monitor(Counts())

  /// What tests and measurements look at.
  struct Counts: Sendable {
    /// Looks at a view because a commit had touched it.
    var wakes = 0
    var views = 0
  }

  init(_ database: Database) { self.database = database }

  var currentCounts: Counts { counts.withLock { $0 } }

  // MARK: Observers

  func add(_ observer: Observer, to query: DatabaseQuery) {
    known.withLock { $0[query.location.place, default: [:]][observer.handle] = (observer, query.parameters) }
    queue.async { [self] in
      guard observer.isActive else { return }
      do throws(TreeError) {
        try query.requireValid()
        try follow()
        let old = views(at: query).first { $0.reader == nil && $0.parameters == query.parameters }
        let view = old ?? insert(ObservedView(query, number: nextNumber()))
        view.add(observer)
        noteDue(view)
        if !isTelling { look() }
      } catch {
        forget(observer, at: query.location.place)
        query.database.callbackQueue.async { observer.tell(error) }
      }
    }
  }

  /// Ends observers at the query's place, of whatever query there. They are not called once this has returned, unless
  /// a call is going on.
  func end(at query: DatabaseQuery, where isMeant: (Observer, QueryParameters) -> Bool) {
    let place = query.location.place
    let ended = known.withLock { known -> [DatabaseHandle: Observer] in
      let meant = (known[place] ?? [:]).filter { isMeant($0.value.observer, $0.value.parameters) }
      for handle in meant.keys { known[place]?[handle] = nil }
      if known[place]?.isEmpty == true { known[place] = nil }
      return meant.mapValues(\.observer)
    }
    if ended.isEmpty { return }
    for observer in ended.values { observer.end() }
    queue.async { [self] in
      for view in views(at: query) where view.reader == nil {
        view.remove { ended[$0.handle] != nil }
        if view.isUnused { remove(view) }
      }
    }
  }

  private func forget(_ observer: Observer, at place: QueryLocation.Place) {
    known.withLock { known in
      known[place]?[observer.handle] = nil
      if known[place]?.isEmpty == true { known[place] = nil }
    }
  }

  private func noteDue(_ view: ObservedView) {
    if view.reader == nil { due[view.number] = view } else { dueReaders[view.number] = view }
  }

  private func nextNumber() -> UInt64 {
    lastView += 1
    return lastView
  }

  private func views(at query: DatabaseQuery) -> [ObservedView] {
    query.location.info == nil
      ? paths.views(at: PathKey(query.path)) : infos.filter { $0.location.info == query.location.info }
  }

  private func insert(_ view: ObservedView) -> ObservedView {
    if view.location.info == nil { paths.insert(view) } else { infos.append(view) }
    counts.withLock { $0.views += 1 }
    return view
  }

  private func remove(_ view: ObservedView) {
    due[view.number] = nil
    dueReaders[view.number] = nil
    let isGone = view.location.info == nil ? paths.remove(view) : infos.contains { $0 === view }
    infos.removeAll { $0 === view }
    if isGone { counts.withLock { $0.views -= 1 } }
  }

  /// Begins to hear of commits and connections.
  private func follow() throws(TreeError) {
    guard commits == nil, let database else { return }
    commits = try database.onCommit { [weak self] in self?.lookSoon() }
    connectivity = database.onConnectivity { [weak self] in
      self?.queue.async { [weak self] in self?.connectivityChanged() }
    }
  }

  private func connectivityChanged() {
    for view in infos {
      view.touches.insertNode()
      noteDue(view)
    }
    look()
  }

  // MARK: Sequences

  /// Begins to observe for a sequence.
  func add(_ reader: EventReader, of query: DatabaseQuery) {
    queue.async { [self] in
      do throws(TreeError) {
        try query.requireValid()
        try follow()
        reader.view = insert(ObservedView(query, number: nextNumber(), reader: reader))
      } catch {
        reader.answer(.failure(error))
      }
    }
  }

  func remove(_ reader: EventReader) {
    queue.async { [self] in
      if let view = reader.view { remove(view) }
      reader.view = nil
      reader.answer(.success([]))
    }
  }

  /// Answers with what is new, at once or after the commit that brings it; with nothing when the sequence is over.
  func read(_ reader: EventReader) async throws -> [ViewEvent] {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        queue.async { [self] in
          reader.wait(continuation)
          guard let view = reader.view else { return reader.answer(.success([])) }
          if view.isDue { dueReaders[view.number] = view }
          look()
        }
      }
    } onCancel: {
      remove(reader)
    }
  }

  /// Returns once every observer has been told of all commits until now.
  func settle() async {
    await withCheckedContinuation { continuation in
      queue.async { [self] in
        settling.append(continuation)
        look()
      }
    }
  }

  /// How often queries that are observed now were run as a whole.
  var queryRuns: Int { queue.sync { (paths.all + infos).reduce(0) { $0 + $1.queryRuns } } }

  // MARK: Looking

  /// Looks once, however often it is called until then.
  private func lookSoon() {
    let isQueued = isLookQueued.withLock { isQueued in
      defer { isQueued = true }
      return isQueued
    }
    if isQueued { return }
    queue.async { [self] in
      isLookQueued.withLock { $0 = false }
      look()
    }
  }

  private func look() {
    guard let database, !paths.isEmpty || !infos.isEmpty else {
      lastCommit = nil
      return settled()
    }
    var told: [Told] = []
    var read: [(reader: EventReader, events: [ViewEvent])] = []
    do throws(TreeError) {
      let view = try database.snapshotReader()
      try view.read { rows, replica in
        try advance(rows, replica)
        for observed in ready() {
          if observed.touches.isAny { counts.withLock { $0.wakes += 1 } }
          let events = try observed.look(database, view, rows, replica)
          due[observed.number] = nil
          dueReaders[observed.number] = nil
          if let reader = observed.reader {
            if !events.isEmpty { read.append((reader, events.map(\.event))) }
          } else {
            for case (let observer?, let event) in events { told.append((observed, observer, event)) }
          }
        }
      }
    } catch {
      fail(error)
    }
    for (reader, events) in read { reader.answer(.success(events)) }
    tell(told, database)
  }

  /// Notes what commits have touched since the last look.
  private func advance(_ rows: borrowing StoreTransaction, _ replica: Replica) throws(TreeError) {
    let now = replica.commitNumber
    defer { lastCommit = now }
    guard let last = lastCommit, now != last else { return }
    let note: (ObservedView) -> Void = { [self] in noteDue($0) }
    guard now > last, now - last <= Replica.commitRing else { return paths.touch(.root, isWhole: true, note) }
    for number in last + 1...now {
      guard let record = try rows.get(.commit, RowKey.commit(number)) else {
        return paths.touch(.root, isWhole: true, note)
      }
      try TouchedPaths.forEach(in: record) { path, isWhole in paths.touch(path, isWhole: isWhole, note) }
    }
  }

  /// The views to look at now: what is below before what is above, as Firebase has it; of one path the oldest first.
  private func ready() -> [ObservedView] {
    let readers = dueReaders.values.filter { $0.isDue && $0.reader?.isWaiting == true }
    let views = isTelling ? readers : readers + due.values.filter(\.isDue)
    return views.sorted { left, right in
      if left.node == right.node { return left.number < right.number }
      if left.node.isPrefix(of: right.node) { return false }
      return right.node.isPrefix(of: left.node) || left.node < right.node
    }
  }

  private func settled() {
    if isTelling { return }
    for continuation in settling { continuation.resume() }
    settling = []
  }

  private typealias Told = (view: ObservedView, observer: Observer, event: ViewEvent)

  private func tell(_ told: [Told], _ database: Database) {
    if told.isEmpty { return settled() }
    isTelling = true
    let calls = told.map { ($0.observer, $0.event) }
    let views = ViewsTold(told.map { ($0.view, $0.observer) })
    database.callbackQueue.async { [self] in
      for (observer, event) in calls { observer.tell(event) }
      queue.async { [self] in
        isTelling = false
        for (view, observer) in views.list where !observer.isActive { letGo(observer, of: view) }
        look()
      }
    }
  }

  /// Who was told; touched on the hub's queue only.
  private final class ViewsTold: @unchecked Sendable {
    let list: [(ObservedView, Observer)]

    init(_ list: [(ObservedView, Observer)]) { self.list = list }
  }

  /// An observer has ended by itself.
  private func letGo(_ observer: Observer, of view: ObservedView) {
    forget(observer, at: view.location.place)
    view.remove { $0 === observer }
    if view.isUnused { remove(view) }
  }

  /// Nothing can be read: everybody is told, and hears no more.
  private func fail(_ error: TreeError) {
    guard let database else { return }
    for view in paths.all + infos {
      remove(view)
      view.reader?.view = nil
      view.reader?.answer(.failure(error))
      for observer in view.everybody {
        forget(observer, at: view.location.place)
        database.callbackQueue.async { observer.tell(error) }
      }
    }
  }
}
