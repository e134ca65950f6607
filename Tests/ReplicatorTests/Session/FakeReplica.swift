import OfflineTree
import TestSupport

@testable import Replicator

/// A change of the fake: what a session never looks into.
struct FakeChange {
  let log: LogID
  let seq: UInt64
  let previous: Bytes32
  let parents: [Bytes32]
  let payload: [UInt8]
  private(set) var hash = Bytes32.zero

  var position: LogPosition { LogPosition(log: log, seq: seq, hash: hash) }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.append(log)
    writer.u64(seq)
    writer.append(previous)
    writer.varint(parents.count)
    for parent in parents { writer.append(parent) }
    writer.prefixed(payload)
    return writer.bytes
  }

  var gap: HistoryGap { HistoryGap(log: log, first: seq, last: seq, hashBefore: previous, head: hash) }

  init(log: LogID, seq: UInt64, previous: Bytes32, parents: [Bytes32], payload: [UInt8]) {
    (self.log, self.seq, self.previous) = (log, seq, previous)
    (self.parents, self.payload) = (parents, payload)
    hash = Sodium.hash32(encoded)
  }

  init(decoding bytes: [UInt8]) throws(TreeError) {
    var reader = ByteReader(bytes)
    log = try reader.bytes16("log")
    seq = try reader.u64("seq")
    previous = try reader.bytes32("previous")
    var parents: [Bytes32] = []
    for _ in 0..<(try reader.count("parents", limit: 100)) { parents.append(try reader.bytes32("parent")) }
    self.parents = parents
    payload = Array(try reader.prefixed("payload", limit: 1 << 26))
    try reader.finish("fake")
    hash = Sodium.hash32(bytes)
  }
}

/// A replica of sets and dictionaries that does a session's jobs as the database does them: causal order, waiting
/// changes, forks, and what to send.
struct FakeReplica {
  private(set) var changes: [Bytes32: FakeChange] = [:]
  private(set) var order: [Bytes32] = []
  private(set) var waiting: [Bytes32: FakeChange] = [:]
  private var children: [Bytes32: [Bytes32]] = [:]
  private(set) var currentLog: LogID
  private var logCount: UInt8 = 0
  /// Names the logs that this replica starts from now on; a copy gets another.
  var device: UInt8
  /// Changes whose bytes are not here any more.
  private(set) var dropped: Set<Bytes32> = []
  /// Shows something else than others with the same changes.
  var isFaulty = false
  /// Arrivals of changes that were there already.
  private(set) var duplicates = 0

  init(device: UInt8) {
    self.device = device
    currentLog = Self.name(device, 0)
  }

  private static func name(_ device: UInt8, _ log: UInt8) -> LogID {
    LogID([device, log] + [UInt8](repeating: 0, count: 14))
  }

  var stateHash: Bytes16 { Sodium.hash16(clock.digest.bytes + [isFaulty ? 1 : 0]) }

  func sums(_ question: StateComparison.Question) -> StateComparison.Answer {
    switch question {
    case .buckets:
      .buckets(
        clock: clock.digest, [UInt128](repeating: isFaulty ? 1 : 0, count: StateComparison.buckets))
    case .parts: .parts([StateComparison.Part(first: PathKey("a").bytes, count: 1, sum: isFaulty ? 1 : 0)])
    }
  }

  func search(_ answer: StateComparison.Answer?) -> SessionSearch {
    switch answer {
    case nil: .ask(.buckets)
    case .buckets: .ask(.parts(bucket: 3, from: [], end: nil))
    case .parts: .ended([PathKey("a").path])
    }
  }

  var clock: VectorClock {
    VectorClock(
      changes.values.filter { change in
        !(children[change.hash] ?? []).contains { changes[$0]?.log == change.log }
      }.map(\.position))
  }

  var allHashes: Set<Bytes32> { Set(changes.keys) }

  func has(_ position: LogPosition) -> Bool { changes[position.hash] != nil }

  /// One more change of the current log that has seen everything here.
  mutating func write(_ payload: [UInt8]) {
    let tips = clock.positions
    let last = tips.filter { $0.log == currentLog }.max { $0.seq < $1.seq }
    let change = FakeChange(
      log: currentLog, seq: last.map { $0.seq + 1 } ?? 0, previous: last?.hash ?? .zero,
      parents: tips.filter { $0 != last }.map(\.hash), payload: payload)
    apply(change)
  }

  mutating func leaveLog() {
    logCount += 1
    currentLog = Self.name(device, logCount)
  }

  private mutating func apply(_ change: FakeChange) {
    changes[change.hash] = change
    order.append(change.hash)
    children[change.previous, default: []].append(change.hash)
  }

  private func isReady(_ change: FakeChange) -> Bool { hasPast(of: change) && missing(for: change).isEmpty }

  private func hasPast(of change: FakeChange) -> Bool {
    (change.seq == 0 || changes[change.previous] != nil) && change.parents.allSatisfy { changes[$0] != nil }
  }

  /// Applies what it can; the rest waits. Returns how many were applied, and the logs that forked.
  mutating func receive(_ arrivals: [FakeChange]) -> (applied: Int, duplicates: Int, forked: [LogID]) {
    var (applied, again, forked) = (0, 0, Set<LogID>())
    for change in arrivals {
      if changes[change.hash] != nil { again += 1 } else { waiting[change.hash] = change }
    }
    while let ready = waiting.values.filter(isReady).min(by: { $0.position < $1.position }) {
      waiting[ready.hash] = nil
      let rivals = changes.values.contains { $0.log == ready.log && $0.seq == ready.seq }
      if rivals { forked.insert(ready.log) }
      apply(ready)
      applied += 1
      if ready.log == currentLog { leaveLog() }
    }
    duplicates += again
    return (applied, again, Array(forked))
  }

  // MARK: Checkpoints

  /// What newcomers get: some of the changes, or bytes that are none.
  var checkpoint: [UInt8]?

  static func checkpoint(_ changes: [FakeChange]) -> [UInt8] {
    var writer = ByteWriter()
    for change in changes { writer.prefixed(change.encoded) }
    return writer.bytes
  }

  mutating func begin(_ bytes: [UInt8]) -> Bool {
    var reader = ByteReader(bytes)
    var changes: [FakeChange] = []
    while !reader.isAtEnd {
      guard let body = try? reader.prefixed("change", limit: bytes.count),
        let change = try? FakeChange(decoding: Array(body))
      else { return false }
      changes.append(change)
    }
    return receive(changes).applied == changes.count
  }

  // MARK: Dropped history

  /// The first byte of what needs everything before it.
  static let needy: UInt8 = 0xDD

  mutating func drop(_ isDropped: (FakeChange) -> Bool) {
    dropped.formUnion(changes.values.filter(isDropped).map(\.hash))
  }

  private func missing(for change: FakeChange) -> Set<Bytes32> {
    guard change.payload.first == Self.needy, !dropped.isEmpty else { return [] }
    return past(of: [change.previous] + change.parents).intersection(dropped)
  }

  var needsHistory: Bool { waiting.values.contains { hasPast(of: $0) && !missing(for: $0).isEmpty } }

  func wanted(_ limit: Int) -> [HistoryGap] {
    let missing = waiting.values.filter(hasPast).reduce(into: Set<Bytes32>()) { $0.formUnion(self.missing(for: $1)) }
    return missing.compactMap { changes[$0] }.sorted { $0.position < $1.position }.prefix(limit).map(\.gap)
  }

  /// The bytes of a gap, if they are here.
  func history(_ gap: HistoryGap) -> [ArraySlice<UInt8>]? {
    guard let change = changes[gap.head], !dropped.contains(gap.head) else { return nil }
    return [change.encoded[...]]
  }

  mutating func fill(_ runs: [ChangeRun]) throws -> (filled: Int, applied: Int) {
    let filled = Set(try runs.map { try FakeChange(decoding: Array($0.bodies[0])).hash }).intersection(dropped)
    dropped.subtract(filled)
    return (filled.count, receive([]).applied)
  }

  func samples(of log: LogID) -> [LogPosition] {
    var result: Set<LogPosition> = []
    for tip in clock.positions where tip.log == log {
      var (hash, distance, next) = (tip.hash, 0, 0)
      while let change = changes[hash], change.log == log {
        if distance == next || change.seq == 0 {
          result.insert(change.position)
          next = next == 0 ? 1 : next * 2
        }
        distance += 1
        hash = change.previous
      }
    }
    return result.sorted()
  }

  /// The change and everything before it.
  func past(of hashes: some Sequence<Bytes32>) -> Set<Bytes32> {
    var (result, open): (Set<Bytes32>, [Bytes32]) = ([], Array(hashes))
    while let hash = open.popLast() {
      guard let change = changes[hash], result.insert(hash).inserted else { continue }
      open.append(change.previous)
      open += change.parents
    }
    return result
  }
}

/// What a peer lacks, as the database's `Outgoing` is meant to find it.
struct FakeOutgoing {
  private var told: [LogPosition]
  private var restarted: Set<LogID> = []
  private var handedOut: Set<Bytes32> = []

  init(to clock: VectorClock) { told = clock.positions }

  mutating func note(_ positions: [LogPosition]) { told += positions }
  mutating func restart(_ log: LogID) { restarted.insert(log) }

  mutating func next(_ maximumBytes: Int, from replica: FakeReplica) -> [FakeChange] {
    let known = replica.past(of: told.filter(replica.has).map(\.hash))
    // Up to a position that is not known here the peer has the log, unless it forked: then it says so.
    var unclear: [LogID: UInt64] = [:]
    for position in told where !replica.has(position) && !restarted.contains(position.log) {
      unclear[position.log] = max(unclear[position.log] ?? 0, position.seq)
    }
    var (result, size, withheld): ([FakeChange], Int, Set<Bytes32>) = ([], 0, [])
    for hash in replica.order where !known.contains(hash) && !handedOut.contains(hash) {
      guard let change = replica.changes[hash] else { continue }
      if let last = unclear[change.log] {
        if change.seq > last { withheld.insert(hash) }
        continue
      }
      if replica.dropped.contains(hash) {
        withheld.insert(hash)
        continue
      }
      if withheld.contains(change.previous) || change.parents.contains(where: withheld.contains) {
        withheld.insert(hash)
        continue
      }
      let bytes = change.encoded.count
      if !result.isEmpty, size + bytes > maximumBytes { break }
      size += bytes
      result.append(change)
      handedOut.insert(hash)
    }
    return result
  }
}
