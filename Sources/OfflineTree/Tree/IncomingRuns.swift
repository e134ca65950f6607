/// Runs that are being taken in, and what those wait for that are blocked: each is looked at again only when that is here.
struct IncomingRuns {
  private enum Need: Hashable {
    case change(LogID, UInt64)
    case genesis
  }

  var runs: [IncomingRun] = []
  /// Places of runs to be looked at, in their order, from `next` on.
  private var ready: [Int] = []
  private var next = 0
  private var blocked: [Need: [Int]] = [:]
  /// Blocked runs by log.
  private var blockedByLog: [LogID: Set<Int>] = [:]

  init(_ runs: [IncomingRun]) { add(runs) }

  mutating func add(_ more: [IncomingRun]) {
    ready += runs.count..<(runs.count + more.count)
    runs += more
  }

  mutating func nextReady() -> Int? {
    guard next < ready.count else { return nil }
    defer { next += 1 }
    return ready[next]
  }

  /// The run at `index` cannot go on, and says why.
  mutating func block(_ index: Int) {
    let run = runs[index]
    blockedByLog[run.run.log, default: []].insert(index)
    switch run.reason {
    case .missingParent(let parent): blocked[.change(parent.log, parent.seq), default: []].append(index)
    case .missingPrevious where run.seq > 0: blocked[.change(run.run.log, run.seq - 1), default: []].append(index)
    case .missingGenesis: blocked[.genesis, default: []].append(index)
    case .missingPrevious, .delayed, .unknownVersion, .missingHistory, nil: break
    }
  }

  mutating func free(after log: LogID, _ seq: UInt64) {
    if !blocked.isEmpty { free(blocked.removeValue(forKey: .change(log, seq)) ?? []) }
  }

  mutating func freeAfterGenesis() { free(blocked.removeValue(forKey: .genesis) ?? []) }

  /// Others wait for a log.
  mutating func free(_ log: LogID) { free(Array(blockedByLog[log] ?? []).sorted()) }

  private mutating func free(_ indices: [Int]) {
    for index in indices where blockedByLog[runs[index].run.log]?.remove(index) != nil {
      runs[index].reason = nil
      ready.append(index)
    }
  }

  /// What is left: not done, or not looked at.
  var rest: [IncomingRun] { runs.filter { !$0.isDone } }
}

/// A run that is being taken in.
struct IncomingRun {
  let run: ChangeRun
  /// Has it waited here already?
  let isKept: Bool
  /// Of each of its changes.
  let hashes: [Bytes32]
  /// Was it looked at whether it is its device's? What is here already was when it came.
  var isChecked = false
  var isVerified = false
  private(set) var offset = 0
  /// The number behind the last change that is here.
  private(set) var taken: UInt64
  private(set) var previous: Bytes32
  /// Why it cannot go on; nil if it was not looked at since it last went on.
  var reason: Reception.Reason?
  /// What of dropped history it needs, where that is why.
  var missing: [MissingChanges] = []

  init(_ run: ChangeRun, isKept: Bool = false) {
    self.run = run
    self.isKept = isKept
    previous = run.hashBefore
    taken = run.first
    hashes = run.hashes
  }

  var seq: UInt64 { run.first + UInt64(offset) }
  var isDone: Bool { offset == run.bodies.count }
  var current: ArraySlice<UInt8>? { isDone ? nil : run.bodies[offset] }
  var rest: ChangeRun {
    ChangeRun(
      log: run.log, first: seq, hashBefore: previous, bodies: Array(run.bodies[offset...]), signature: run.signature)
  }

  mutating func take(_ hash: Bytes32) {
    previous = hash
    offset += 1
    taken = seq
  }

  /// Takes all changes up to a number, which are here.
  mutating func take(through seq: UInt64) {
    while !isDone, self.seq <= seq { take(hashes[offset]) }
  }

  mutating func stop() { offset = run.bodies.count }
}
