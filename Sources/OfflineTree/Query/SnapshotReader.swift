/// A view of one commit that snapshots share while they live: the source of those too large to be copied.
package final class SnapshotReader: Sendable {
  private let pinned: PinnedReader
  private let replica: Replica

  fileprivate init(_ pinned: PinnedReader, _ replica: Replica) {
    self.pinned = pinned
    self.replica = replica
  }

  /// Calls `body` with the view. It must not read the same view again, which snapshots made of it do.
  ///
  /// - Throws: `unavailable` if the view is too old, and what `body` throws.
  func read<R>(_ body: (borrowing StoreTransaction, Replica) throws -> R) throws(TreeError) -> R {
    do {
      return try pinned.read { rows in try body(rows, replica) }
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "a read failed", underlying: "\(error)")
    }
  }
}

extension SnapshotReader: SnapshotSource {
  package func value(at path: PathKey) throws(TreeError) -> Value {
    try read { rows, _ in try TreeReader.value(at: path, rows) }
  }

  package func scalar(at path: PathKey) throws(TreeError) -> Scalar? {
    try read { rows, _ in try TreeReader.scalar(path, rows) }
  }

  package func exists(at path: PathKey) throws(TreeError) -> Bool {
    try read { rows, _ in try TreeReader.exists(path, rows) }
  }

  package func priority(at path: PathKey) throws(TreeError) -> Scalar? {
    try read { rows, replica in
      guard try TreeReader.exists(path, rows) else { return nil }
      return try replica.shownPriority(path, try replica.priorities(path, rows), rows)?.value
    }
  }

  package func priorities(below path: PathKey) throws(TreeError) -> [PathKey: Scalar] {
    try read { rows, replica in
      var shown: [PathKey: Scalar] = [:]
      try replica.collectPriorities(below: path, into: &shown, rows)
      return shown
    }
  }

  package func children(of path: PathKey, after child: PathKey?, limit: Int) throws(TreeError) -> [PathKey] {
    try read { rows, _ in
      var children: [PathKey] = []
      if limit == 0 { return children }
      try rows.forEachChild(of: path, from: child) { (next) throws(TreeError) in
        if next != child { children.append(next) }
        return children.count < limit
      }
      return children
    }
  }

  package func prioritizedChildren(of path: PathKey) throws(TreeError) -> [PathKey]? {
    try read { rows, replica in
      guard try replica.hasPrioritizedChild(path, rows) else { return nil }
      return try QueryEngine.window(.all, at: path, rows, replica).entries.map(\.path)
    }
  }
}

extension Replica {
  /// Does a child of a node show a priority? O(priorities below it).
  fileprivate func hasPrioritizedChild(
    _ node: PathKey, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> Bool {
    if try PathTable.priority.isEmpty(in: rows) { return false }
    var query = QueryParameters()
    query.limit = QueryLimit(1, .last)
    return try QueryEngine.window(query, at: node, rows, self).entries.contains { $0.value != .null }
  }
}

extension Database {
  /// Holds on to the newest commit, for snapshots.
  package func snapshotReader() throws(TreeError) -> SnapshotReader {
    try watchSnapshots()
    let pinned = try store.pin()
    do {
      return SnapshotReader(pinned, try pinned.read { rows in try replica(rows) })
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "a read failed", underlying: "\(error)")
    }
  }

  /// How many bytes of the database may be replaced behind a large snapshot before it ends: 1 GiB unless it is set.
  package var snapshotLimit: UInt64 {
    get { store.pinLimit }
    set { store.pinLimit = newValue }
  }

  /// Lets the commits of all processes end snapshots that have become too old.
  private func watchSnapshots() throws(TreeError) {
    if snapshotWatch.withLock({ $0 != nil }) { return }
    let observation = try commits.observe { [weak self] in
      guard let self else { return }
      do {
        try store.endOldReaders()
      } catch {
        warn("old snapshots of \(home) cannot be ended: \(error)")
      }
    }
    snapshotWatch.withLock { $0 = observation }
  }
}
