import OfflineTree
import TestSupport

/// Changes that introduce logs, act with authority or write, without bytes: the model's view of each, and its place.
struct ControlHistory {
  /// A log, or a branch of one.
  struct Segment {
    let device: Bytes32
    let log: LogID
    /// The index of change 0 on its branch.
    let beginning: Int
    /// The segment that holds change 0.
    let root: Int
    var count: UInt64
    var tip: Int
  }

  let genesis: Genesis
  private(set) var changes: [ModelAuthority.Change] = []
  /// Segment and number of each change.
  private(set) var places: [(segment: Int, seq: UInt64)] = []
  private(set) var segments: [Segment] = []

  init(founder: Bytes32, membersMayInvite: Bool) throws {
    genesis = try Genesis(
      founder: founder, recoveryKey: .zero, membersMayInvite: membersMayInvite, name: "test", addOnlySets: [],
      flags: [], nonce: .zero)
    introduce(founder, .genesis(genesis), seeing: BitSet())
  }

  static func device(_ number: Int) -> Bytes32 { Bytes32([UInt8](repeating: UInt8(number + 1), count: 32)) }

  static func invite(_ number: Int) -> Bytes32 { Bytes32([UInt8](repeating: UInt8(128 + number), count: 32)) }

  static func join(_ invite: Bytes32) -> Introduction.Standing {
    .join(invite: invite, Signature([UInt8](repeating: 0, count: 64)))
  }

  /// A change and all that it had seen.
  func closure(_ index: Int) -> BitSet {
    var closure = changes[index].past
    closure.insert(index)
    return closure
  }

  func closure(_ indices: [Int]) -> BitSet { indices.reduce(into: BitSet()) { $0.formUnion(closure($1)) } }

  /// - Returns: The index of the new log's change 0; its segment is the last.
  @discardableResult
  mutating func introduce(
    _ device: Bytes32, _ standing: Introduction.Standing, seeing past: BitSet, isVoidByForm: Bool = false
  ) -> Int {
    let index = changes.count
    let log = LogID([device.bytes[0], UInt8(index >> 8), UInt8(index & 255)] + [UInt8](repeating: 7, count: 13))
    segments.append(
      Segment(device: device, log: log, beginning: index, root: segments.count, count: 1, tip: index))
    var change = ModelAuthority.Change(device: device, log: log, beginning: index, past: past)
    change.standing = standing
    change.isVoidByForm = isVoidByForm
    place(change, segments.count - 1, 0)
    return index
  }

  /// A branch behind a change; its first change has to be appended.
  mutating func fork(behind index: Int) -> Int {
    let parent = segments[places[index].segment]
    segments.append(
      Segment(
        device: parent.device, log: parent.log, beginning: parent.beginning, root: parent.root,
        count: places[index].seq + 1, tip: index))
    return segments.count - 1
  }

  @discardableResult
  mutating func append(
    _ segment: Int, _ controls: [ControlOperation], writes: Bool = false, isRecovery: Bool = false,
    isVoidByForm: Bool = false, seeing past: BitSet = BitSet()
  ) -> Int {
    let entry = segments[segment]
    var change = ModelAuthority.Change(
      device: entry.device, log: entry.log, beginning: entry.beginning, past: closure(entry.tip).union(past))
    change.controls = controls.normalized
    change.writes = writes
    change.isRecovery = isRecovery
    change.isVoidByForm = isVoidByForm
    return place(change, segment, entry.count)
  }

  @discardableResult
  private mutating func place(_ change: ModelAuthority.Change, _ segment: Int, _ seq: UInt64) -> Int {
    changes.append(change)
    places.append((segment, seq))
    segments[segment].count = seq + 1
    segments[segment].tip = changes.count - 1
    return changes.count - 1
  }

  // MARK: Orders

  /// Any order in which every change comes behind what it had seen.
  func causalOrder(_ random: inout SeededRandom) -> [Int] {
    var order: [Int] = []
    var here = BitSet()
    var left = Array(changes.indices)
    while !left.isEmpty {
      let ready = left.filter { index in left.allSatisfy { !changes[index].past.contains($0) } }
      let next = random.pick(ready)
      order.append(next)
      here.insert(next)
      left.removeAll { $0 == next }
    }
    return order
  }

  /// What the model says of the changes that came first in an order; verdicts are in that order.
  func model(_ order: some Collection<Int>) -> ModelAuthority {
    let order = Array(order)
    var places: [Int: Int] = [:]
    for (place, index) in order.enumerated() { places[index] = place }
    let moved = order.map { index in
      var change = changes[index]
      var past = BitSet()
      for (earlier, place) in places where change.past.contains(earlier) { past.insert(place) }
      change.past = past
      change.beginning = places[change.beginning] ?? 0
      return change
    }
    return ModelAuthority(founder: genesis.founder, membersMayInvite: genesis.membersMayInvite, moved)
  }
}

/// An `Authority` that is told of a history's changes in some order.
struct ControlReplica {
  let history: ControlHistory
  private(set) var authority = Authority()
  /// The same, judged only when it is asked for.
  private(set) var unjudged = Authority()
  /// Indices of logs and branches, by segment.
  private var logs: [Int: Int] = [:]
  private(set) var order: [Int] = []

  init(_ history: ControlHistory) {
    self.history = history
    authority.adopt(history.genesis)
    unjudged.adopt(history.genesis)
  }

  private mutating func log(_ segment: Int) -> Int {
    let log = logs[segment] ?? logs.count
    logs[segment] = log
    return log
  }

  func dot(_ index: Int) -> Dot {
    Dot(log: logs[history.places[index].segment] ?? Int.max, seq: history.places[index].seq)
  }

  private func context(_ index: Int) -> Context {
    var context = Context()
    for earlier in order where history.changes[index].past.contains(earlier) {
      let dot = dot(earlier)
      context.raise(dot.log, to: dot.seq + 1)
    }
    return context
  }

  mutating func add(_ index: Int) {
    let change = history.changes[index]
    let segment = history.places[index].segment
    _ = log(history.segments[segment].root)
    _ = log(segment)
    defer { order.append(index) }
    if change.isVoidByForm || change.standing == nil && change.controls.isEmpty { return }
    let introduction = change.standing.map {
      Introduction(random: .zero, deviceKey: change.device, boxKey: .zero, deviceName: "d", standing: $0)
    }
    let record = Authority.Record(
      dot: dot(index), log: change.log, root: log(history.segments[segment].root), device: change.device,
      context: context(index), stamp: Stamp(milliseconds: UInt64(index), counter: 0), wallTime: 0,
      introduction: introduction, controls: change.controls, isRecovery: change.isRecovery, writes: change.writes)
    authority.add(record)
    unjudged.addUnjudged(record)
  }

  /// Takes everything in again, as a replica does that opens or rebuilds.
  mutating func rejudge() {
    unjudged.judge()
    authority = unjudged
  }

  /// Why a change is void by judgement.
  func fault(_ index: Int) -> String? {
    let change = history.changes[index]
    if change.standing != nil || !change.controls.isEmpty { return authority.verdict(at: dot(index)) }
    let root = history.segments[history.places[index].segment].root
    return authority.fault(
      of: dot(index), device: change.device, log: change.log, root: logs[root] ?? Int.max, context: context(index),
      writes: change.writes)
  }

  /// What differs from the model, and from judging all of it at once.
  func differences() -> [String] {
    let model = history.model(order)
    var found: [String] = []
    for (place, index) in order.enumerated() where !history.changes[index].isVoidByForm {
      let (fault, reason) = (fault(index), model.verdicts[place])
      if (fault == nil) != (reason == nil) {
        found.append("#\(index) is void for \(fault ?? "nothing"), must be for \(reason.map { "\($0)" } ?? "nothing")")
      }
    }
    let wanted = Set(
      model.ends.map { ControlHistory.StandingEnd(change: order[$0.change], subject: $0.subject, rank: $0.rank) })
    let ends = authority.ends.map { end in
      let index = order.first { dot($0) == end.dot } ?? -1
      return ControlHistory.StandingEnd(change: index, subject: end.subject, rank: end.rank)
    }
    // Those that reach no more than others need not be there.
    if !wanted.isSuperset(of: ends) { found.append("ends are \(ends), may be \(wanted)") }
    var whole = unjudged
    whole.judge()
    if whole.verdicts.map({ $0 == nil }) != authority.verdicts.map({ $0 == nil }) { found.append("at once it differs") }
    for device in authority.devices {
      if whole.rank(of: device) != authority.rank(of: device) || whole.isEnded(device) != authority.isEnded(device) {
        found.append("judged at once, the device \(device) has another standing")
      }
    }
    return found
  }
}

extension ControlHistory {
  struct StandingEnd: Hashable {
    let change: Int
    let subject: ControlOperation.Subject
    let rank: Rank
  }
}
