/// The records of a damaged home that say something which cannot be had from others, or be worked out again.
struct SalvagedRows {
  /// Whose log has an index, as a row of `log` says.
  struct Owner: Hashable {
    let log: LogID
    let device: Bytes32
  }

  /// What a row of `log` says of a log or a branch.
  struct Extent: Sendable {
    let owner: Owner
    let first: UInt64
    let count: UInt64
    let head: Bytes32
  }

  static let tables: Set<Table> = [.meta, .log, .run, .waiting, .remote, .signature, .blob]

  /// By key; what the newest head leads to goes before anything else.
  private(set) var meta: [[UInt8]: [UInt8]] = [:]
  /// Of keys for which the newest head leads to nothing.
  private(set) var staleMeta: [[UInt8]: [[UInt8]]] = [:]
  /// By log's index: what the newest head leads to.
  private(set) var liveLogs: [Int: Extent] = [:]
  /// By log's index: what stands elsewhere, of each owner the row with the highest count.
  private(set) var staleLogs: [Int: [Owner: Extent]] = [:]
  private(set) var runs: [(run: StoredRun, isLive: Bool)] = []
  /// Changes that were dropped before, by log's index: rows that the newest head leads to.
  private(set) var droppedCounts: [Int: UInt64] = [:]
  /// First changes of logs that introduce a device, by log's index.
  private(set) var introductions: [Int: [Introduction]] = [:]
  /// By log's index and number.
  private(set) var signatures: [Int: [UInt64: Set<Signature>]] = [:]
  private(set) var remotes: [[UInt8]: [UInt8]] = [:]
  /// Remotes that stand on a page of before, with the same key and value.
  private(set) var staleRemotes: [[UInt8]: [UInt8]] = [:]
  private(set) var waiting: [[UInt8]: (value: [UInt8], isLive: Bool)] = [:]
  private(set) var blobs: [[UInt8]: [UInt8]] = [:]
  private var seenRuns: Set<Bytes32> = []
  /// Bytes to which packed rows may still be opened that the newest head does not lead to: a few bytes that somebody
  /// made up can open to many.
  private var staleRoom = 1 << 30

  /// Takes a record, in any order and however often it comes. What does not decode, or goes beyond a limit, is left out:
  /// it is of another version, or somebody made it up.
  mutating func take(_ record: SalvagedRecord) {
    switch record.table {
    case .meta: takeMeta(record)
    case .log: takeLog(record)
    case .run: takeRun(record)
    case .signature:
      guard record.key.count == 12, record.value.count == Signature.byteCount else { return }
      let (index, seq) = (Int(RowKey.number(record.key[..<4])), RowKey.number(record.key[4...]))
      guard seq < Limits.changesPerLog else { return }
      signatures[index, default: [:]][seq, default: []].insert(Signature(record.value))
    case .remote:
      if record.isLive { remotes[record.key] = record.value } else { staleRemotes[record.key] = record.value }
    case .waiting: takeWaiting(record)
    case .blob:
      if Sodium.hash32(record.value).bytes == record.key { blobs[record.key] = record.value }
    default: break
    }
  }

  private mutating func takeLog(_ record: SalvagedRecord) {
    guard record.key.count == 4, let entry = try? LogEntry(decoding: record.value),
      entry.count <= Limits.changesPerLog, entry.first <= entry.count
    else { return }
    let index = Int(RowKey.number(record.key))
    let extent = Extent(
      owner: Owner(log: entry.introduced, device: entry.device), first: entry.first, count: entry.count,
      head: entry.head)
    if record.isLive {
      liveLogs[index] = extent
      return
    }
    if let known = staleLogs[index]?[extent.owner], known.count >= extent.count { return }
    staleLogs[index, default: [:]][extent.owner] = extent
  }

  private mutating func takeRun(_ record: SalvagedRecord) {
    guard record.isLive || mayOpen(record.value), let run = try? StoredRun(key: record.key, row: record.value),
      run.first < Limits.changesPerLog, UInt64(run.count) < Limits.changesPerLog - run.first
    else { return }
    // A row that was found by its tree is found again on its page.
    guard seenRuns.insert(Sodium.hash32(record.key + record.value)).inserted else { return }
    let body = run.isGap ? run.kept.first { $0.offset == 0 }?.body : run.bodies.first
    if run.first == 0, let body, case .change(let change, _)? = try? Change.decode(body),
      let introduction = change.introduction
    {
      introductions[run.log, default: []].append(introduction)
    }
    if run.isGap {
      // What a gap stands for comes from a keeper.
      droppedCounts[run.log, default: 0] += UInt64(run.count)
    } else {
      runs.append((run, record.isLive))
    }
  }

  private mutating func mayOpen(_ row: [UInt8]) -> Bool {
    guard row.count >= 40 else { return false }
    switch unsafe StoredRun.form(of: row.span.bytes) {
    case .plain: return true
    case .gap: return false
    case .packed:
      let opened = Int(row[36..<40].number(0, 4))
      if opened > staleRoom { return false }
      staleRoom -= opened
      return true
    }
  }

  private mutating func takeWaiting(_ record: SalvagedRecord) {
    guard record.isLive || waiting[record.key] == nil,
      let run = try? Replica.waitingChange(record.key, record.value), run.isWithinLimits,
      run.byteCount <= Limits.changeBytes, run.hashes[0].bytes[..<8].elementsEqual(record.key[24...])
    else { return }
    waiting[record.key] = (record.value, record.isLive)
  }

  /// The newest head leads to every row of `log` that there is: what stands elsewhere says nothing.
  mutating func forgetStaleLogs() { staleLogs = [:] }

  private mutating func takeMeta(_ record: SalvagedRecord) {
    if record.isLive {
      meta[record.key] = record.value
      staleMeta[record.key] = nil
    } else if meta[record.key] == nil {
      staleMeta[record.key, default: []].append(record.value)
    }
  }

  /// The values of a key of `meta` that were found: the right one alone, if the newest head leads to it.
  func values(of key: [UInt8]) -> [[UInt8]] { meta[key].map { [$0] } ?? staleMeta[key] ?? [] }

  /// Each is tried with all changes, and anybody can make some up.
  private static let spacesTried = 16

  /// What may be the space's id, the likeliest first.
  var spaces: [SpaceID] {
    var found: [SpaceID] = []
    func note(_ space: SpaceID) { if !found.contains(space) { found.append(space) } }
    for value in values(of: Replica.MetaKey.identity) where value.count == 65 { note(SpaceID(value[1..<33])) }
    for value in values(of: Replica.MetaKey.genesis) {
      if let genesis = try? Genesis(decoding: value[...]) { note(genesis.spaceID) }
    }
    for (run, _) in runs where run.first == 0 && found.count < Self.spacesTried { note(run.hashBefore) }
    return found
  }

  /// The genesis record, which the space's id is a hash of.
  func genesis(of space: SpaceID) -> Genesis? {
    values(of: Replica.MetaKey.genesis).lazy.compactMap { try? Genesis(decoding: $0[...]) }
      .first { $0.spaceID == space }
  }

  /// The introduction that an invite signed for this device.
  func claim(of device: Bytes32, in space: SpaceID) -> Introduction? {
    values(of: Replica.MetaKey.claim).lazy.compactMap { (try? Introduction.decode($0)) ?? nil }
      .first { $0.deviceKey == device && $0.standing.invite != nil && $0.joinFault(space: space) == nil }
  }
}
