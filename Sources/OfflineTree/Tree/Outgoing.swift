/// What a peer lacks, in causal order: a value that remembers what it has handed out.
package struct Outgoing: Sendable {
  private var sent = Context()
  /// Logs of which the peer holds another branch, until it is known where they part.
  private var held: Set<LogID> = []
  /// Waiting changes of newer versions that were handed out, by their rows' keys: the peer may understand them.
  private var passedOn: Set<[UInt8]> = []
  /// The last of them, and how many changes waited when nothing was left to hand out.
  private var lastPassedOn: [UInt8] = []
  private var waitingCount = 0

  init() {}

  /// Marks what the peer has.
  mutating func note(_ clock: VectorClock, _ replica: Replica, _ rows: borrowing StoreTransaction) throws(TreeError) {
    for position in clock.positions {
      if let dot = try replica.find(position, rows) {
        held.remove(position.log)
        mark(dot, replica)
      } else if let tip = replica.indices[position.log]?.map({ replica.logs[$0] }).max(by: { $0.count < $1.count }) {
        // The peer is ahead of us on this log, unless it is on another branch: it finds out from our clock.
        if position.seq >= tip.count, replica.indices[position.log]?.count == 1 {
          sent.raise(replica.indices[position.log]![0], to: tip.count)
        } else {
          held.insert(position.log)
        }
      }
    }
  }

  private mutating func mark(_ dot: Dot, _ replica: Replica) {
    sent.raise(dot.log, to: dot.seq + 1)
    var log = replica.logs[dot.log]
    while let parent = log.parent {
      sent.raise(parent, to: log.first)
      log = replica.logs[parent]
    }
  }

  /// Sends the branches of a log from the last position that both have, or from its beginning.
  mutating func restart(
    _ log: LogID, common: LogPosition?, _ replica: Replica, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    held.remove(log)
    var counts: [Int: UInt64] = [:]
    for entry in sent.entries { counts[entry.log] = entry.count }
    for index in replica.indices[log] ?? [] { counts[index] = nil }
    sent = Context()
    for (index, count) in counts { sent.raise(index, to: count) }
    if let common, let dot = try replica.find(common, rows) { mark(dot, replica) }
  }

  mutating func next(
    maximumBytes: Int, _ replica: Replica, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [ChangeRun] {
    var runs: [ChangeRun] = []
    var bytes = 0
    var moved = true
    while moved, bytes < maximumBytes {
      moved = false
      for log in replica.logs.indices where bytes < maximumBytes && !held.contains(replica.logs[log].introduced) {
        let room = maximumBytes - bytes
        guard let run = try replica.run(log, unsentAfter: sent, maximumBytes: room, isOrdered: true, rows) else {
          continue
        }
        mark(Dot(log: log, seq: run.last), replica)
        bytes += run.byteCount
        runs.append(run)
        moved = true
      }
    }
    if runs.isEmpty, let run = try unordered(maximumBytes: maximumBytes, replica, rows) { runs = [run] }
    if runs.isEmpty { runs = try waiting(maximumBytes: maximumBytes, replica, rows) }
    return runs
  }

  /// Logs that were signed so seldom that none can go first: the receiver waits for the others.
  private mutating func unordered(
    maximumBytes: Int, _ replica: Replica, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun? {
    for log in replica.logs.indices where !held.contains(replica.logs[log].introduced) {
      guard let run = try replica.run(log, unsentAfter: sent, maximumBytes: maximumBytes, isOrdered: false, rows)
      else { continue }
      mark(Dot(log: log, seq: run.last), replica)
      return run
    }
    return nil
  }

  /// What waits here for a newer version of the program is passed on with what waits for it.
  private mutating func waiting(
    maximumBytes: Int, _ replica: Replica, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [ChangeRun] {
    let count = try rows.count(.waiting)
    if count == waitingCount { return [] }
    var runs = try waiting(after: lastPassedOn, maximumBytes, rows)
    // What came since may stand before the last one.
    if runs.isEmpty { runs = try waiting(after: [], maximumBytes, rows) }
    if runs.isEmpty { waitingCount = count }
    for index in runs.indices { runs[index] = try withUnsignedPast(of: runs[index], replica, rows) }
    return runs
  }

  /// Changes that were taken here by a signature that only what waits behind them carries go with that.
  private mutating func withUnsignedPast(
    of run: ChangeRun, _ replica: Replica, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> ChangeRun {
    let before = replica.indices[run.log]?.first {
      replica.logs[$0].count == run.first && replica.logs[$0].head == run.hashBefore
    }
    guard let before, run.first > 0 else { return run }
    let entry = replica.logs[before]
    let start = max(entry.first, entry.signedCount, sent.count(before))
    let tip = LogPosition(log: run.log, seq: run.first - 1, hash: run.hashBefore)
    guard start <= tip.seq, var whole = try replica.run(endingAt: tip, from: start, maximumBytes: .max, rows),
      whole.last == tip.seq
    else { return run }
    for body in run.bodies { whole.append(body) }
    whole.signature = run.signature
    mark(Dot(log: before, seq: tip.seq), replica)
    return whole
  }

  /// Runs up to a signature: what stands alone would be refused.
  private mutating func waiting(
    after key: [UInt8], _ maximumBytes: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [ChangeRun] {
    var (runs, bytes, passed) = ([ChangeRun](), 0, passedOn)
    var last = key
    var (gathered, keys): (ChangeRun?, [[UInt8]]) = (nil, [])
    try Replica.forEachWaiting(after: key, rows) { key, run in
      if bytes >= maximumBytes, gathered == nil { return false }
      if let before = gathered, before.log == run.log, before.last + 1 == run.first,
        keys.last?.suffix(8).elementsEqual(run.hashBefore.bytes[..<8]) == true
      {
        gathered?.append(run.bodies[0])
        gathered?.signature = run.signature
        keys.append(key)
      } else {
        (gathered, keys) = (run, [key])
      }
      guard let done = gathered, done.signature != nil else { return true }
      if !keys.allSatisfy(passed.contains) {
        passed.formUnion(keys)
        runs.append(done)
        bytes += done.byteCount
      }
      (last, gathered) = (key, nil)
      return true
    }
    (lastPassedOn, passedOn) = (last, passed)
    return runs
  }
}
