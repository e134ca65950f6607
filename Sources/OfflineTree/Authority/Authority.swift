/// Who may do what: the control changes of a set of changes, and what follows from them.
///
/// A pure function of the set: records may come in any causal order. Nothing here reads rows; the replica tells what was
/// applied, and asks.
package struct Authority: Sendable {
  /// A change that introduces a log or acts with authority, and is not void by form.
  package struct Record: Sendable {
    package let dot: Dot
    /// The id under which its log was introduced.
    package let log: LogID
    /// The index of the log or branch that holds change 0 of its log.
    package let root: Int
    package let device: Bytes32
    /// What it had seen.
    package let context: Context
    package let stamp: Stamp
    package let wallTime: Int64
    package let introduction: Introduction?
    package let controls: [ControlOperation]
    /// Has the owner-recovery key signed it?
    package let isRecovery: Bool
    /// Does it change the tree, too?
    package let writes: Bool
    /// The id by which its log, or its branch, is ordered.
    package let branch: LogID
    /// Who acted.
    package let author: Key?
    /// The change itself, if it changes the tree: rules judge it.
    package let change: Change?
    /// Whom it is about, if it is about a person.
    package let person: Key?

    package init(
      dot: Dot, log: LogID, root: Int, device: Bytes32, context: Context, stamp: Stamp, wallTime: Int64,
      introduction: Introduction?, controls: [ControlOperation], isRecovery: Bool, writes: Bool,
      branch: LogID? = nil, author: Key? = nil, change: Change? = nil
    ) {
      (self.dot, self.log, self.root, self.device, self.context) = (dot, log, root, device, context)
      (self.stamp, self.wallTime, self.introduction) = (stamp, wallTime, introduction)
      (self.controls, self.isRecovery, self.writes) = (controls, isRecovery, writes)
      (self.branch, self.author, self.change) = (branch ?? log, author, change)
      person = author ?? controls.lazy.compactMap(\.person).first
    }

    /// Is another record in the past of this one?
    package func saw(_ other: Record) -> Bool { context.covers(other.dot.log, other.dot.seq) }
  }

  package private(set) var genesis: Genesis?
  private(set) var space: SpaceID?
  private(set) var declarations = Declarations.none
  /// In a causal order.
  package private(set) var records: [Record] = []
  /// Why each record is void, or nil.
  package private(set) var verdicts: [String?] = []
  package private(set) var ends = Ends()

  /// By the log or branch that holds change 0: introductions by genesis or invite on which the log can stand.
  var joins: [Int: [Int]] = [:]
  /// By device: records that give it a role.
  private(set) var grants: [Bytes32: [Int]] = [:]
  /// By the invite's public key: records that register it.
  private(set) var registrations: [Bytes32: [Registration]] = [:]
  /// Records with ends, rotations, deliveries and lockboxes.
  private(set) var endings: [Int] = []
  private(set) var rotations: [Int] = []
  private(set) var deliveries: [Int] = []
  private(set) var lockboxes: [Int] = []
  /// By device: its records that say whether it keeps all history.
  private(set) var keeps: [Bytes32: [Int]] = [:]
  /// Where each record is.
  private(set) var places: [Dot: Int] = [:]
  /// What each device was named last, by its own word.
  private(set) var names: [Bytes32: (stamp: Stamp, name: String)] = [:]
  /// Every device that was introduced, in the order in which this replica heard of them.
  package private(set) var devices: [Bytes32] = []
  private(set) var introduced: Set<Bytes32> = []
  /// By the public keys of invites: how many logs were introduced by each.
  private(set) var joinCounts: [Bytes32: Int] = [:]
  /// The verdicts that there would be without ends, as far as they were asked for. They do not change.
  private var unended: [String?] = []
  /// By device: records with ends of roles that had nothing to take when they came.
  private var idle: [Bytes32: [Int]] = [:]
  /// Devices of which a change may be void by judgement: the others need no look.
  private var suspects: Set<Bytes32> = []
  /// Accounts, and who is logged in where.
  package var people = People()
  /// What the newest record ends for a person.
  private(set) var newEndsOfPeople: [People.End] = []
  /// What judges what is written.
  var ruleBook = RuleBook()

  package init() {}

  package mutating func adopt(_ genesis: Genesis) {
    self.genesis = genesis
    space = genesis.spaceID
    // A genesis whose declarations contradict each other does not decode.
    declarations = (try? Declarations(addOnlySets: genesis.addOnlySets, flags: genesis.flags)) ?? .none
    ruleBook.adopt(genesis)
  }

  /// Adds the next record, and judges anew what it touches.
  ///
  /// - Returns: The judgement of before, if all was judged anew.
  @discardableResult
  package mutating func add(_ record: Record) -> Judging? {
    let index = records.count
    records.append(record)
    note(index)
    verdicts.append(verdict(index, current))
    newEndsOfPeople = []
    if record.person != nil {
      newEndsOfPeople = addToPeople(index)
      return nil
    }
    if verdicts[index] == nil {
      people.keepVouch(record, index)
      ruleBook.keep(index, records)
    }
    noteSuspects(of: index)
    let mayEnd = endings.last == index && mayEnd(index)
    let revivesEnds = revivesEnds(index)
    guard mayEnd || revivesEnds else { return nil }
    if !revivesEnds, let beside = endsOfNobody(index) {
      for end in beside { ends.append(end) }
      for case .device(let device) in beside.map(\.subject) { suspects.insert(device) }
      return nil
    }
    let before = current
    judge()
    return before
  }

  /// May ends of the newest record stand and reach more than those that stand? Ends never make anything stand that would
  /// not without them: what is void by no end at all is void for ever.
  private mutating func mayEnd(_ index: Int) -> Bool {
    noteUnended()
    guard unended[index] == nil else { return false }
    var isMore = false
    for case .end(let subject) in records[index].controls where !isIdle(subject, of: index, ends) { isMore = true }
    return isMore
  }

  /// Does an end reach nothing more than those that stand? One of a role may later.
  private mutating func isIdle(_ subject: ControlOperation.Subject, of index: Int, _ standing: Ends) -> Bool {
    guard isRedundant(subject, of: index, standing) else { return false }
    if case .role(let device) = subject { idle[device, default: []].append(index) }
    return true
  }

  private mutating func noteUnended() {
    while unended.count < records.count { unended.append(verdict(unended.count, Judging(verdicts: unended, ends: []))) }
  }

  /// The rank that the author of a record with ends has if none of its roles was taken back.
  func highestRank(of index: Int) -> Rank {
    let record = records[index]
    if record.isRecovery { return .recovery }
    return rank(of: record.device, at: record.dot, record.context, Judging(verdicts: unended, ends: []))
  }

  /// Does the newest record give a role that an end takes back which had nothing to take before?
  private func revivesEnds(_ index: Int) -> Bool {
    if idle.isEmpty || verdicts[index] != nil { return false }
    return idle.contains { device, endings in
      grants[device]?.last == index && endings.contains { !records[index].saw(records[$0]) }
    }
  }

  /// Adds the next record while all are taken in again; `judge` has to follow.
  package mutating func addUnjudged(_ record: Record) {
    records.append(record)
    verdicts.append(nil)
    note(records.count - 1)
  }

  private mutating func note(_ index: Int) {
    let record = records[index]
    places[record.dot] = index
    if record.person != nil { return people.note(record, index, space: space) }
    noteName(record)
    if let introduction = record.introduction {
      if introduced.insert(record.device).inserted { devices.append(record.device) }
      var standing = (grants[record.device] ?? []).filter { isJoin($0) && record.saw(records[$0]) }
      if let invite = introduction.standing.invite { joinCounts[invite, default: 0] += 1 }
      switch introduction.standing {
      case .genesis, .join:
        standing.append(index)
        grants[record.device, default: []].append(index)
      case .open: break
      }
      joins[record.dot.log] = standing
    }
    for operation in record.controls {
      switch operation {
      case .invite(let terms):
        registrations[terms.publicKey, default: []].append(Registration(record: index, terms: terms))
      case .grant(let device, _): grants[device, default: []].append(index)
      case .end: if endings.last != index { endings.append(index) }
      case .rotate: rotations.append(index)
      case .deliver: if deliveries.last != index { deliveries.append(index) }
      case .lockbox: if lockboxes.last != index { lockboxes.append(index) }
      case .rules: ruleBook.note(index)
      case .vouch: people.noteVouch(index)
      case .moderate(let path, _): people.noteRemoval(of: path, index)
      case .keep: keeps[record.device, default: []].append(index)
      case .deviceName, .recovery, .account, .rekey, .session, .retract, .attest: break
      }
    }
  }

  private mutating func noteName(_ record: Record) {
    var name = record.introduction?.deviceName
    for case .deviceName(let renamed) in record.controls { name = renamed }
    guard let name, names[record.device].map({ $0.stamp < record.stamp }) ?? true else { return }
    names[record.device] = (record.stamp, name)
  }

  private func isJoin(_ index: Int) -> Bool {
    switch records[index].introduction?.standing {
    case .genesis?, .join?: true
    case .open?, nil: false
    }
  }

  /// Judges everything: ends from the highest rank down, then every record.
  ///
  /// An end is void only by one of a higher rank, so there is no ring: ends of one rank do not judge each other.
  /// - Complexity: O(records × (ends + roles of a device)).
  package mutating func judge() {
    var standing = Ends()
    if !endings.isEmpty {
      noteUnended()
      idle = [:]
      for pass in Pass.allCases {
        let judging = self.judging(standing)
        for index in endings where judging.verdicts[index] == nil {
          for end in ends(of: index, judging) where end.pass == pass && !isIdle(end.subject, of: index, standing) {
            standing.append(end)
          }
        }
      }
    }
    let judging = self.judging(standing)
    verdicts = judging.verdicts
    ends = standing
    noteSuspects()
    judgePeople()
  }

  /// Ends in the order in which they are judged.
  fileprivate enum Pass: CaseIterable {
    case recovery, founder, owner, own
  }

  /// The verdicts that these ends alone give.
  private func judging(_ ends: Ends) -> Judging {
    var judging = Judging(verdicts: [], ends: ends)
    judging.verdicts.reserveCapacity(records.count)
    for index in records.indices { judging.verdicts.append(verdict(index, judging)) }
    return judging
  }

  /// Verdicts so far, and the ends that they rest on.
  package struct Judging {
    package var verdicts: [String?]
    package let ends: Ends
  }

  private mutating func noteSuspects() {
    suspects = []
    for end in ends {
      switch end.subject {
      case .device(let device), .role(let device): suspects.insert(device)
      case .log(let log): suspects.formUnion(records.lazy.filter { $0.log == log }.map(\.device))
      case .invite, .session, .userKey: break
      }
    }
    for index in records.indices { noteSuspects(of: index) }
  }

  private mutating func noteSuspects(of index: Int) {
    let record = records[index]
    for case .grant(let device, .reader) in record.controls { suspects.insert(device) }
    guard record.introduction != nil else { return }
    if verdicts[index] != nil || role(of: record.device, by: index, current) == .reader {
      suspects.insert(record.device)
    }
  }

  var current: Judging { Judging(verdicts: verdicts, ends: ends) }

  /// May a change of the device be void by judgement at all?
  package func isSuspect(_ device: Bytes32) -> Bool { suspects.contains(device) }
}

extension Authority.End {
  fileprivate var pass: Authority.Pass? {
    if rank >= .founder { return rank == .recovery ? .recovery : .founder }
    // What an owner does to what is its own says nothing about others: below, it comes after what owners do to others.
    return isOwn ? .own : rank == .owner ? .owner : nil
  }
}
