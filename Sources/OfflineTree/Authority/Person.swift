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
    /// Where it is among those of its device.
    let place: Int
    /// Records that grant it: one, unless somebody says it again.
    var records: [Int] = []
    /// By step: how many of them are not void.
    var standing = People.Step.allCases.map { _ in 0 }
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
  /// By the device that may act, then by step: what each goes by differs.
  private var seats: [Bytes32: [SessionTree]] = [:]
  /// By the key that lets it act, then by device: the numbers of places.
  private var places: [Bytes32: [Bytes32: [Int]]] = [:]
  /// What each record grants.
  private var grants: [Int: [Bytes16]] = [:]
  /// By public key: no state with it is of a higher version. What has states of several versions may have any.
  private var versions: [Bytes32: UInt64] = [:]
  /// By step, then by public key: the first record kept that ends it.
  private var keyEnds: [[Bytes32: Authority.Record]] = People.Step.allCases.map { _ in [:] }
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
    admit(account.version, account.publicKey)
  }

  /// Lets what a key's sessions may act as be of a version. At most twice for each key it costs O(its sessions).
  private mutating func admit(_ version: UInt64, _ key: Bytes32) {
    let known = versions[key]
    if let known, known >= version { return }
    let highest = known == nil ? version : .max
    versions[key] = highest
    for (device, places) in places[key] ?? [:] {
      for place in places { change(device) { $0.admit(place, version: highest, key: key) } }
    }
  }

  private mutating func note(_ grant: SessionGrant, _ record: Authority.Record, _ index: Int, id: Bytes16) {
    signed[grant.publicKey, default: Uses()].note(record.dot)
    let place = sessions[id]?.place ?? seat(grant, on: record.device, id)
    var session = sessions.removeValue(forKey: id) ?? Session(device: record.device, key: grant.publicKey, place: place)
    session.records.append(index)
    for step in session.standing.indices { session.standing[step] += 1 }
    sessions[id] = session
    grants[index, default: []].append(id)
    change(record.device) { $0.grant(place, by: record.dot) }
  }

  /// Gives a session its place.
  private mutating func seat(_ grant: SessionGrant, on device: Bytes32, _ id: Bytes16) -> Int {
    let (key, version) = (grant.publicKey, versions[grant.publicKey] ?? 0)
    if seats[device] == nil { seats[device] = People.Step.allCases.map { _ in SessionTree() } }
    var place = 0
    change(device) { place = $0.append(id, version: version, key: key) }
    places[key, default: [:]][device, default: []].append(place)
    for step in People.Step.allCases {
      guard let record = keyEnds[step.rawValue][key] else { continue }
      seats[device]?[step.rawValue].end(place, by: record)
    }
    return place
  }

  /// Changes what all steps have alike.
  private mutating func change(_ device: Bytes32, _ body: (inout SessionTree) -> Void) {
    for step in People.Step.allCases where seats[device] != nil { body(&seats[device, default: []][step.rawValue]) }
  }

  /// The sessions on a device, as a step goes by them.
  func sessions(on device: Bytes32, _ step: People.Step) -> SessionTree? { seats[device]?[step.rawValue] }

  /// Devices whose changes may rest on what an end ends.
  func devices(using subject: ControlOperation.Subject) -> [Bytes32] {
    switch subject {
    case .session(_, let id): sessions[id].map { [$0.device] } ?? []
    case .userKey(_, let key): places[key].map { Array($0.keys) } ?? []
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
    let stood = self.verdict(index, step) == nil
    voids[index, default: [nil, nil, nil]][step.rawValue] = verdict
    if voids[index] == [nil, nil, nil] { voids[index] = nil }
    if stood, verdict != nil { dropGrants(of: index, step) }
  }

  private mutating func dropGrants(of index: Int, _ step: People.Step) {
    for id in grants[index] ?? [] {
      sessions[id]?.standing[step.rawValue] -= 1
      if let session = sessions[id], session.standing[step.rawValue] == 0 {
        seats[session.device]?[step.rawValue].drop(session.place)
      }
    }
  }

  mutating func forgetJudgement() {
    (voids, ends, pastEnds) = ([:], [:], [:])
    keyEnds = keyEnds.map { _ in [:] }
    for id in sessions.keys {
      guard let count = sessions[id]?.records.count else { continue }
      sessions[id]?.standing = People.Step.allCases.map { _ in count }
    }
    for device in seats.keys { change(device) { $0.reopen() } }
  }

  /// Ends what an end reaches among the sessions of a step.
  private mutating func apply(_ end: People.End, _ record: Authority.Record, _ step: People.Step) {
    switch end.subject {
    case .session(_, let id):
      guard let session = sessions[id] else { return }
      seats[session.device]?[step.rawValue].end(session.place, by: record)
    case .userKey(_, let key):
      // Another end of the key finds nothing open.
      if keyEnds[step.rawValue][key] != nil { return }
      keyEnds[step.rawValue][key] = record
      for (device, places) in places[key] ?? [:] {
        for place in places { seats[device]?[step.rawValue].end(place, by: record) }
      }
    case .device, .log, .invite, .role: break
    }
  }

  /// Keeps an end for those that have seen it.
  mutating func keepPast(_ end: People.End, _ records: [Authority.Record]) {
    if !Person.isRedundant(end, beside: pastEnds[end.subject], records) {
      pastEnds[end.subject, default: []].append(end)
      apply(end, records[end.record], .past)
    }
  }

  /// Keeps an end for all, and says whether it reaches more than those that were kept.
  @discardableResult
  mutating func keep(_ end: People.End, _ records: [Authority.Record]) -> Bool {
    if Person.isRedundant(end, beside: ends[end.subject], records) { return false }
    ends[end.subject, default: []].append(end)
    for step in [People.Step.above, .all] { apply(end, records[end.record], step) }
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
