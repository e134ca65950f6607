/// The records of a damaged home that say something which cannot be had from others, or be worked out again.
struct SalvagedRows {
  /// Whose log has an index, as a row of `log` says.
  struct Owner: Hashable {
    let log: LogID
    let device: Bytes32
  }

  static let tables: Set<Table> = [.meta, .log, .run, .waiting, .remote, .signature, .blob]

  /// By key; what the newest head leads to goes before anything else.
  private(set) var meta: [[UInt8]: [UInt8]] = [:]
  /// Of keys for which the newest head leads to nothing.
  private(set) var staleMeta: [[UInt8]: [[UInt8]]] = [:]
  /// By log's index.
  private(set) var owners: [Int: Set<Owner>] = [:]
  /// How many changes a log has, branches included: the highest number that a row of `log` says.
  private(set) var counts: [LogID: UInt64] = [:]
  private var liveOwners: Set<Int> = []
  private(set) var runs: [(run: StoredRun, isLive: Bool)] = []
  /// By log's index and number.
  private(set) var signatures: [Int: [UInt64: Set<Signature>]] = [:]
  private(set) var remotes: [[UInt8]: [UInt8]] = [:]
  /// Remotes that stand on a page of before, with the same key and value.
  private(set) var staleRemotes: [[UInt8]: [UInt8]] = [:]
  private(set) var waiting: [[UInt8]: [UInt8]] = [:]
  private(set) var blobs: [[UInt8]: [UInt8]] = [:]
  private var seenRuns: Set<Bytes32> = []

  /// Takes a record, in any order and however often it comes. What does not decode is left out: its checksum says that
  /// it is what was written, and then it is of another version.
  mutating func take(_ record: SalvagedRecord) {
    switch record.table {
    case .meta: takeMeta(record)
    case .log:
      guard record.key.count == 4, let entry = try? LogEntry(decoding: record.value) else { return }
      note(
        Owner(log: entry.introduced, device: entry.device), of: Int(RowKey.number(record.key)), isLive: record.isLive)
      counts[entry.introduced] = max(counts[entry.introduced] ?? 0, entry.count)
    case .run:
      // What a gap stands for comes from a keeper.
      guard let run = try? StoredRun(key: record.key, row: record.value), !run.isGap else { return }
      // A row that was found by its tree is found again on its page.
      guard seenRuns.insert(Sodium.hash32(record.key + record.value)).inserted else { return }
      runs.append((run, record.isLive))
    case .signature:
      guard record.key.count == 12, record.value.count == Signature.byteCount else { return }
      let (index, seq) = (Int(RowKey.number(record.key[..<4])), RowKey.number(record.key[4...]))
      signatures[index, default: [:]][seq, default: []].insert(Signature(record.value))
    case .remote:
      if record.isLive { remotes[record.key] = record.value } else { staleRemotes[record.key] = record.value }
    case .waiting: waiting[record.key] = record.value
    case .blob:
      if Sodium.hash32(record.value).bytes == record.key { blobs[record.key] = record.value }
    default: break
    }
  }

  private mutating func note(_ owner: Owner, of index: Int, isLive: Bool) {
    if isLive {
      owners[index] = [owner]
      liveOwners.insert(index)
    } else if !liveOwners.contains(index) {
      owners[index, default: []].insert(owner)
    }
  }

  /// Whose logs there are in a space, as rows of `log` say and introductions where such a row is lost.
  func owners(in space: SpaceID) -> [Int: Set<Owner>] {
    var owners = owners
    for (run, _) in runs where run.first == 0 {
      guard let body = run.bodies.first, case .change(let change, _)? = try? Change.decode(body),
        let introduction = change.introduction
      else { continue }
      if owners[run.log] == nil || !liveOwners.contains(run.log) {
        let owner = Owner(log: introduction.logID(space: space), device: introduction.deviceKey)
        owners[run.log, default: []].insert(owner)
      }
    }
    return owners
  }

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

  /// What may be the space's id, the likeliest first.
  var spaces: [SpaceID] {
    var found: [SpaceID] = []
    func note(_ space: SpaceID) { if !found.contains(space) { found.append(space) } }
    for value in values(of: Replica.MetaKey.identity) where value.count == 65 { note(SpaceID(value[1..<33])) }
    for value in values(of: Replica.MetaKey.genesis) {
      if let genesis = try? Genesis(decoding: value[...]) { note(genesis.spaceID) }
    }
    for (run, _) in runs where run.first == 0 { note(run.hashBefore) }
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
