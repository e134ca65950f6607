internal import OfflineTree

extension FolderExchange {
  /// Reads what the database lacks, and with the keys that this brought what was locked.
  func readAll(_ report: inout SyncReport) throws {
    // Files that wait are not read again as long as neither the folder nor the database has anything new.
    if let settled, try settled.clock == database.clock() {
      report.holes = settled.holes
      return
    }
    var hasMoved = false
    repeat {
      let hasBegun = try beginWithCheckpoint(&report)
      let (left, wanted) = try read(&report)
      if hasBegun { try wantWhatKeepersMayLack() }
      if index.hasLocked { try learnKeys(from: left) }
      // Each time at least one file more is open, or one gap filled.
      hasMoved = index.openLocked(try database.epochs(), now: environment.monotonicClock())
      if try fetchHistory(wanted, &report) { hasMoved = true }
    } while hasMoved
    settled = (try database.clock(), report.holes)
  }

  /// Files that may bring keys before those are used: the database keeps only so many.
  private static let keyFiles = 64

  /// Looks through files that cannot be applied yet, each once: keys for this device may be in them, also behind a gap
  /// that only those keys can close. Each by itself, so that what one holds keeps nothing from being found in another.
  private func learnKeys(from left: [FolderPlan.Item]) throws(TreeError) {
    let wanted = index.lockedEpochs
    var found = 0
    for item in left where index.entries[item.name]?.isSearched == false && found < Self.keyFiles {
      index.entries[item.name]?.isSearched = true
      guard let run = open(item) else { continue }
      if try database.learnKeys(from: [run], wanted: wanted) { found += 1 }
    }
  }

  /// Reads what the database lacks, file by file, until nothing moves any more; then says what is missing.
  ///
  /// - Returns: What could not be applied yet, and what of dropped history that needs.
  private func read(_ report: inout SyncReport) throws -> (left: [FolderPlan.Item], wanted: [HistoryGap]) {
    let own = try database.writtenPosition()
    var plan = FolderPlan(try neededItems())
    var opened: [FolderName: ChangeRun] = [:]
    var blocked: [FolderName: Reception.Blocked] = [:]
    var wanted: Set<LogID> = []
    var isAhead = false
    var needed: Set<HistoryGap> = []
    while true {
      let tips = try database.clock().positions
      let items = plan.next(tips: Self.highest(tips), wanted: wanted)
      if items.isEmpty { break }
      var handed: [(item: FolderPlan.Item, run: ChangeRun)] = []
      for item in items {
        if try noteHeld(item) {
          plan.remove(item)
        } else if let run = opened[item.name] ?? open(item) {
          // Only now: a copy of a file that does not open may do.
          plan.markTried(item)
          opened[item.name] = run
          handed.append((item, Self.trimmed(run, tips)))
        } else {
          plan.remove(item)
        }
      }
      if handed.isEmpty { continue }
      let reception = try database.receive(handed.map(\.run), keepBlocked: false)
      report.received += reception.applied
      report.notes += reception.problems.map(\.description)
      report.duplicates += reception.duplicates
      needed.formUnion(reception.wanted)
      if reception.applied > 0 { plan.somethingMoved() }
      refuse(reception, handed.map(\.item), &plan, &report)
      // What was not refused this device has signed, and this copy had not written it.
      let refused = Set(reception.refused.map(\.log))
      isAhead = isAhead || handed.contains { $0.item.header.log == own?.log && !refused.contains($0.item.header.log) }
      wanted = []
      let rests = Dictionary(grouping: reception.blocked) { End(log: $0.run.log, last: $0.run.last) }
      for (item, run) in handed {
        if try noteHeld(item) {
          plan.remove(item)
          (opened[item.name], blocked[item.name]) = (nil, nil)
        } else if let rest = Self.rest(of: item, run, in: rests) {
          blocked[item.name] = rest
          noteHeldThrough(item, run, rest)
          if case .missingParent(let parent) = rest.reason { wanted.insert(parent.log) }
        }
      }
      if opened.values.reduce(0, { $0 + $1.byteCount }) > FolderPlan.openBytes { opened = [:] }
    }
    report.holes = try holes(plan.remaining(), blocked)
    try leaveLogIfAhead(own, isAhead, &report)
    return (plan.remaining().values.flatMap { $0 }, needed.sorted { ($0.log, $0.first) < ($1.log, $1.first) })
  }

  private func neededItems() throws -> [FolderPlan.Item] {
    var items: [FolderPlan.Item] = []
    for (entry, header) in Array(index.segments) where !entry.isHeld {
      let item = FolderPlan.Item(name: entry.name, header: header.segment)
      if try !noteHeld(item) { items.append(item) }
    }
    return items
  }

  /// Does the database have all of the file? A hash commits to all before it.
  private func noteHeld(_ item: FolderPlan.Item) throws -> Bool {
    let isHeld = try database.hasChange(item.header.position)
    if isHeld { index.entries[item.name]?.isHeld = true }
    return isHeld
  }

  /// The file's changes, or nil if it is not what its header says, which is noted.
  func open(_ item: FolderPlan.Item) -> ChangeRun? {
    do throws(TreeError) {
      let limit = SealedOuter.Kind.segment.maximumFileBytes
      let bytes = try files.read(index.path(item.name), maximumBytes: limit)
      let segment = try SealedSegment(opening: bytes, known: index.keys)
      guard segment.header.segment == item.header else {
        throw TreeError(.damaged, "it was changed while it was read", advice: "It is read again later")
      }
      index.entries[item.name]?.isVerified = true
      index.entries[item.name]?.failures = 0
      return segment.run
    } catch {
      let content: FolderIndex.Content = error.code == .notFound ? .incomplete : .unreadable(error)
      index.fail(item.name, content, now: environment.monotonicClock())
      return nil
    }
  }

  private static func highest(_ tips: [LogPosition]) -> [LogID: UInt64] {
    Dictionary(tips.map { ($0.log, $0.seq) }, uniquingKeysWith: max)
  }

  /// Without the changes that the database has, if the run goes on from one of its tips.
  private static func trimmed(_ run: ChangeRun, _ tips: [LogPosition]) -> ChangeRun {
    for tip in tips where tip.log == run.log {
      if let suffix = run.suffix(after: tip) { return suffix }
    }
    return run
  }

  /// What stays the same of a run when its beginning is applied.
  private struct End: Hashable {
    let log: LogID
    let last: UInt64
  }

  private static func rest(
    of item: FolderPlan.Item, _ run: ChangeRun, in blocked: [End: [Reception.Blocked]]
  ) -> Reception.Blocked? {
    let candidates = (blocked[End(log: item.header.log, last: item.header.last)] ?? [])
      .filter { $0.run.first >= run.first }
    // More than one only if branches of a log were read together.
    return candidates.count < 2 ? candidates.first : candidates.first { $0.run.head == item.header.head }
  }

  private func noteHeldThrough(_ item: FolderPlan.Item, _ run: ChangeRun, _ rest: Reception.Blocked) {
    guard rest.run.first > item.header.first else { return }
    index.entries[item.name]?.heldThrough = LogPosition(
      log: item.header.log, seq: rest.run.first - 1, hash: rest.run.hashBefore)
  }

  private func refuse(
    _ reception: Reception, _ items: [FolderPlan.Item], _ plan: inout FolderPlan, _ report: inout SyncReport
  ) {
    if reception.refused.isEmpty { return }
    let byLog = Dictionary(grouping: items, by: \.header.log)
    for refusal in reception.refused {
      let culprits = (byLog[refusal.log] ?? []).filter {
        ($0.header.first...$0.header.last).contains(refusal.first)
      }
      for item in culprits {
        index.fail(item.name, .unreadable(refusal.error), now: environment.monotonicClock())
        plan.remove(item)
      }
      if culprits.isEmpty {
        report.refused.append(SyncReport.Refusal(name: "log \(refusal.log)", error: refusal.error))
      }
    }
  }
}
