/// Whose the logs of a damaged home are.
extension SalvagedRows {
  /// Whose log has an index, and whether that is certain.
  struct Ownership: Sendable {
    /// Several if it is not certain: what a change's signature then says, counts.
    var owners: Set<Owner> = []
    /// Those of whom the newest head says so, or an introduction of which the log's id is the hash. Others anybody may
    /// have made up.
    var proven: Set<Owner> = []
  }

  /// Whose logs there are in a space, as rows of `log` say and introductions where such a row is lost.
  func ownerships(in space: SpaceID) -> [Int: Ownership] {
    let introduced = introductions.mapValues { all in
      Set(all.map { Owner(log: $0.logID(space: space), device: $0.deviceKey) })
    }
    let known = introduced.values.reduce(into: Set<Owner>()) { $0.formUnion($1) }
    let knownLogs = Set(known.map(\.log))
    var found: [Int: Ownership] = [:]
    for (index, extent) in liveLogs { found[index] = Ownership(owners: [extent.owner], proven: [extent.owner]) }
    for (index, owners) in introduced where liveLogs[index] == nil {
      found[index] = Ownership(owners: owners, proven: owners)
    }
    for (index, extents) in staleLogs where liveLogs[index] == nil {
      for owner in extents.keys where known.contains(owner) || !knownLogs.contains(owner.log) {
        found[index, default: Ownership()].owners.insert(owner)
        if known.contains(owner) { found[index]?.proven.insert(owner) }
      }
    }
    return found
  }

  /// How many changes a log has, branches included: the highest number that a row of `log` says whose word counts.
  func count(of log: LogID, _ ownerships: [Int: Ownership]) -> UInt64 {
    if let live = liveLogs.values.filter({ $0.owner.log == log }).map(\.count).max() { return live }
    let stale = staleLogs.flatMap { index, extents in
      extents.values.filter { $0.owner.log == log && ownerships[index]?.proven.contains($0.owner) == true }
        .map(\.count)
    }
    return stale.max() ?? 0
  }

  /// Changes that the damaged database had of each log, branches included, as far as rows say to which the newest head
  /// leads.
  func liveCounts(_ ownerships: [Int: Ownership]) -> [LogID: UInt64] {
    var counts: [LogID: UInt64] = [:]
    for extent in liveLogs.values { counts[extent.owner.log, default: 0] += extent.count - extent.first }
    for (index, count) in droppedCounts where liveLogs[index] == nil {
      for owner in ownerships[index]?.proven ?? [] { counts[owner.log, default: 0] += count }
    }
    return counts
  }
}
