/// What the records about one person come to.
///
/// Whatever it is asked for takes about as long however many records there are: anybody can make them.
struct Person: Sendable {
  /// A state of the account, as a record puts it down.
  struct State {
    let record: Int
    let stamp: Stamp
    let branch: LogID
    let account: Account
  }

  struct Session {
    let device: Bytes32
    let key: Bytes32
    /// Records that grant it: one, unless somebody says it again.
    var records: [Int] = []
  }

  /// The last use of something in each log: what comes before it in the log is in every past that holds it.
  struct Uses {
    private var last: [Int: UInt64] = [:]

    mutating func note(_ dot: Dot) { last[dot.log] = max(last[dot.log] ?? 0, dot.seq) }

    /// Is there a use that a record had not seen, other than itself?
    func isUnseen(by record: Authority.Record) -> Bool {
      last.contains { log, seq in log != record.dot.log && !record.context.covers(log, seq) }
    }
  }

  /// In a causal order.
  private(set) var records: [Int] = []
  /// By public key; of one key the lowest (stamp, log id) first.
  private(set) var states: [Bytes32: [State]] = [:]
  private(set) var sessions: [Bytes16: Session] = [:]
  /// By the device that may act, then by the key that lets it.
  private(set) var seats: [Bytes32: [Bytes32: [Bytes16]]] = [:]
  /// Those of them that nothing ends in anybody's eyes: asked first, however many have ended.
  private(set) var open: [Bytes32: [Bytes32: Set<Bytes16>]] = [:]
  /// By device: records that name the person as their author.
  private var acts: [Bytes32: Uses] = [:]
  /// By public key: what it has signed.
  private var signed: [Bytes32: Uses] = [:]

  /// Why records are void, in each step of judging; none of those that stand in all.
  private var voids: [Int: [String?]] = [:]
  /// Ends that are kept for the steps after the one that found them.
  private(set) var ends: [ControlOperation.Subject: [People.End]] = [:]
  /// Ends in records that stand by their own past.
  private(set) var pastEnds: [ControlOperation.Subject: [People.End]] = [:]

  var hasEnds: Bool { !ends.isEmpty || !pastEnds.isEmpty }

  /// Was there ever such a state of the account?
  func hasState(where isWanted: (Account) -> Bool) -> Bool {
    states.values.contains { $0.contains { isWanted($0.account) } }
  }

  // MARK: Records

  mutating func note(_ record: Authority.Record, _ index: Int, space: SpaceID) {
    records.append(index)
    if record.author != nil { acts[record.device, default: Uses()].note(record.dot) }
    for operation in record.controls {
      switch operation {
      case .account(let new): note(new.account, record, index)
      case .rekey(let rekey):
        note(rekey.account, record, index)
        signed[rekey.previous, default: Uses()].note(record.dot)
      case .session(let grant): note(grant, record, index, id: grant.id(space: space, device: record.device))
      default: break
      }
    }
  }

  private mutating func note(_ account: Account, _ record: Authority.Record, _ index: Int) {
    let state = State(record: index, stamp: record.stamp, branch: record.branch, account: account)
    var known = states.removeValue(forKey: account.publicKey) ?? []
    // Of one record the first stays before the others.
    let place = known.partitionPoint { (state.stamp, state.branch) < ($0.stamp, $0.branch) }
    known.insert(state, at: place)
    states[account.publicKey] = known
  }

  private mutating func note(_ grant: SessionGrant, _ record: Authority.Record, _ index: Int, id: Bytes16) {
    signed[grant.publicKey, default: Uses()].note(record.dot)
    if sessions[id] == nil {
      seats[record.device, default: [:]][grant.publicKey, default: []].append(id)
      open[record.device, default: [:]][grant.publicKey, default: []].insert(id)
    }
    sessions[id, default: Session(device: record.device, key: grant.publicKey)].records.append(index)
  }

  /// Devices whose changes may rest on what an end ends.
  func devices(using subject: ControlOperation.Subject) -> [Bytes32] {
    switch subject {
    case .session(_, let id): sessions[id].map { [$0.device] } ?? []
    case .userKey(_, let key): seats.keys.filter { seats[$0]?[key] != nil }
    case .device, .log, .invite, .role: []
    }
  }

  /// Does an end in a record reach another record that the record had not seen?
  func reachesUnseen(_ subject: ControlOperation.Subject, of record: Authority.Record) -> Bool {
    if case .userKey(_, let key) = subject, signed[key]?.isUnseen(by: record) == true { return true }
    return devices(using: subject).contains { acts[$0]?.isUnseen(by: record) == true }
  }

  // MARK: Verdicts

  func verdict(_ index: Int, _ step: People.Step) -> String? { voids[index]?[step.rawValue] }

  mutating func judge(_ index: Int, _ step: People.Step, _ verdict: String?) {
    if voids[index] == nil, verdict == nil { return }
    voids[index, default: [nil, nil, nil]][step.rawValue] = verdict
    if voids[index] == [nil, nil, nil] { voids[index] = nil }
  }

  mutating func forgetJudgement() {
    (voids, ends, pastEnds) = ([:], [:], [:])
    open = seats.mapValues { $0.mapValues { Set($0) } }
  }

  private mutating func close(_ subject: ControlOperation.Subject) {
    guard case .session(_, let id) = subject, let session = sessions[id] else { return }
    open[session.device]?[session.key]?.remove(id)
  }

  /// Keeps an end for those that have seen it.
  mutating func keepPast(_ end: People.End, _ records: [Authority.Record]) {
    if !Person.isRedundant(end, beside: pastEnds[end.subject], records) {
      pastEnds[end.subject, default: []].append(end)
      close(end.subject)
    }
  }

  /// Keeps an end for all, and says whether it reaches more than those that were kept.
  @discardableResult
  mutating func keep(_ end: People.End, _ records: [Authority.Record]) -> Bool {
    if Person.isRedundant(end, beside: ends[end.subject], records) { return false }
    ends[end.subject, default: []].append(end)
    close(end.subject)
    return true
  }

  /// Is there the same end, or one that it had seen and that reaches whatever it reaches?
  private static func isRedundant(_ end: People.End, beside ends: [People.End]?, _ records: [Authority.Record]) -> Bool
  {
    ends?.contains { other in
      other.record == end.record || other.level >= end.level && records[end.record].saw(records[other.record])
    } ?? false
  }
}

extension Array {
  /// The first place at which `isBehind` is true; it is false before and true from there on. O(log n).
  fileprivate func partitionPoint(_ isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
