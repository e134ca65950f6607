internal import OfflineTree

extension FolderExchange {
  /// Gaps that are looked for in one exchange: what waits for more goes on with the next.
  private static let gapsLookedFor = 4_096

  /// Fills in, from the folder's segments, what was dropped here and is needed.
  ///
  /// - Parameter blocked: What changes need that are in the folder only, and not kept in the database.
  /// - Returns: Whether something was filled in, so that what waited may go on.
  func fetchHistory(_ blocked: [HistoryGap], _ report: inout SyncReport) throws -> Bool {
    var source = HistorySource(items: index.segments.map { FolderPlan.Item(name: $0.name, header: $1.segment) })
    var (tried, isAny): (Set<HistoryGap>, Bool) = ([], false)
    while tried.count < Self.gapsLookedFor {
      let wanted = try blocked + database.wantedHistory(limit: ProtocolLimits.gaps + tried.count)
      guard let gap = wanted.first(where: { !tried.contains($0) }) else { break }
      tried.insert(gap)
      guard let run = source.run(over: gap, open: { self.open($0) }) else { continue }
      let fill = try database.fill([run])
      guard fill.filled > 0 else { continue }
      isAny = true
      report.fetched += fill.filled
      report.received += fill.reception.applied
    }
    return isAny
  }
}

/// Finds consecutive changes in files that are cut differently by each home.
struct HistorySource {
  /// Bytes of changes that stay opened: neighbours are often in one file.
  private static let openBytes = 64 << 20
  /// Files tried for one gap: copies that are damaged, and branches of a log that has forked.
  private static let attempts = 64

  /// By log, sorted by first number.
  private var items: [LogID: [FolderPlan.Item]] = [:]
  private var opened: [FolderName: ChangeRun] = [:]
  private var unreadable: Set<FolderName> = []

  init(items: some Sequence<FolderPlan.Item>) {
    for item in items { self.items[item.header.log, default: []].append(item) }
    for log in self.items.keys {
      self.items[log]?.sort { ($0.header.first, $0.header.last, $0.name) < ($1.header.first, $1.header.last, $1.name) }
    }
  }

  /// A run that holds all of a gap, by the hashes on both sides, if the files do.
  mutating func run(over gap: HistoryGap, open: (FolderPlan.Item) -> ChangeRun?) -> ChangeRun? {
    let candidates = (items[gap.log] ?? []).filter { $0.header.first <= gap.last && $0.header.last >= gap.first }
    var attempts = Self.attempts
    return extend(nil, gap, candidates, &attempts, open)
  }

  private mutating func extend(
    _ run: ChangeRun?, _ gap: HistoryGap, _ candidates: [FolderPlan.Item], _ attempts: inout Int,
    _ open: (FolderPlan.Item) -> ChangeRun?
  ) -> ChangeRun? {
    let next = run.map { $0.last + 1 } ?? gap.first
    if let run, run.last >= gap.last { return run.passes(through: gap) ? run : nil }
    // Those that lead furthest first.
    let further = candidates.filter { $0.header.first <= next && next <= $0.header.last }
      .sorted { ($0.header.last, $1.header.first, $1.name) > ($1.header.last, $0.header.first, $0.name) }
    for item in further where attempts > 0 {
      attempts -= 1
      guard let part = opened(item, open) else { continue }
      let longer = run.map { $0.extended(by: part) } ?? part
      guard let longer, let found = extend(longer, gap, candidates, &attempts, open) else { continue }
      return found
    }
    return nil
  }

  private mutating func opened(_ item: FolderPlan.Item, _ open: (FolderPlan.Item) -> ChangeRun?) -> ChangeRun? {
    if let run = opened[item.name] { return run }
    if unreadable.contains(item.name) { return nil }
    guard let run = open(item) else {
      unreadable.insert(item.name)
      return nil
    }
    if opened.values.reduce(run.byteCount, { $0 + $1.byteCount }) > Self.openBytes { opened = [:] }
    opened[item.name] = run
    return run
  }
}

extension ChangeRun {
  /// This run and what another one adds to it, if that goes on from its last change or passes through it.
  fileprivate func extended(by other: ChangeRun) -> ChangeRun? {
    let end = LogPosition(log: log, seq: last, hash: head)
    let goesOn = other.first == last + 1 && other.hashBefore == end.hash
    guard let rest = goesOn ? other : other.suffix(after: end) else { return nil }
    return joined(with: rest)
  }

  /// Does it lead from the hash before a gap to the hash of its last change?
  fileprivate func passes(through gap: HistoryGap) -> Bool {
    guard log == gap.log, first <= gap.first, last >= gap.last else { return false }
    var hash = hashBefore
    for (offset, body) in bodies.enumerated() {
      let seq = first + UInt64(offset)
      if seq == gap.first, hash != gap.hashBefore { return false }
      hash = Change.hash(log: log, seq: seq, previous: hash, body: body)
      if seq == gap.last { return hash == gap.head }
    }
    return false
  }
}
