/// The replica's state in memory, valid for one commit: what merging needs at hand.
///
/// It is the staged state of the writer thread: a write works on a copy, which replaces the original when the write is
/// kept. The rows that belong to it are written by `flush` at the end of each write.
struct Replica: Sendable {
  let space: SpaceID
  let device: Bytes32
  var genesis: Genesis?
  var declarations = Declarations.none
  /// Who may do what.
  var authority = Authority()
  /// Changes with every change of `authority`.
  var authorityVersion: UInt64 = 0
  /// What is being collected while everything is applied anew.
  var rebuilding: Authority?
  /// Has an end reached what is applied? Then everything is applied anew at the end of the write.
  var mustRebuild = false
  /// Writes also what its own device may not: for models of devices that do so.
  var allowsVoidWrites = false
  /// Signs for this device; only the writer has it.
  var keys: DeviceKeys?
  var logs: [LogEntry] = []
  /// Introduced id → the indices of the log and its branches.
  var indices: [LogID: [Int]] = [:]
  /// Device → the indices of its logs and branches.
  var indicesByDevice: [Bytes32: [Int]] = [:]
  /// The last changes that no other change has seen: log index → number. A new change's parents come from here.
  var frontier: [Int: UInt64] = [:]
  /// The log that this device writes to, until it has to leave it.
  var currentLog: Int?
  /// Has this device's history forked from what others hold? Then the next write begins a new log.
  var mustLeave = false
  /// Logs that changes here wait for, with the devices whose changes those are.
  var awaited: [LogID: Set<Witness>] = [:]
  /// Logs of which `awaited` has said more, so that they may be delivered, or tell more themselves.
  var newlyAwaited: [LogID] = []
  /// By devices and invites that are not known yet: logs whose waiting introductions say that they come by those.
  var unknownWitnesses: [Bytes32: Set<LogID>] = [:]
  /// Logs of devices of which no join stands.
  var strangers: Set<Int> = []
  /// How much of `awaited` is kept before it is gathered again.
  var awaitedLimit = 4_096
  /// The room that waiting changes take; only the writer's state knows it.
  var waiting = WaitingRoom()
  /// The keys of waiting changes that may go on.
  var freed: Set<[UInt8]> = []
  /// Is everything that waits to be looked at again?
  var mustRetryWaiting = false
  /// The last number given to a counter's rows.
  var lastCounter: UInt64 = 0
  /// The number of the last commit record.
  var commitNumber: UInt64 = 0

  var hash = StateHash()
  /// Changes of one log that are not yet rows of the table `run`.
  var openRun: OpenRun?
  var counters = CounterCache()
  /// The indexes of the home, and what is touched of them.
  var indexes = IndexSet()
  var recentHashes: RunHashes?
  /// Changes of one log that are dropped and fetched together: those whose numbers differ only below a multiple of it.
  var block = Limits.historyBlock
  /// Has it dropped the bytes of any change?
  var hasGaps = false
  /// Logs whose last change had seen everything of which bytes were dropped: what follows it needs none of them.
  var logsAboveGaps: Set<Int> = []
  var changedLogs: Set<Int> = []
  var metaChanged = false
  /// In a draft: from which number on the changes of a log are applied without their operations on the tree.
  var leftOut: [Int: UInt64] = [:]
  /// What this write has touched, for observers.
  var touched = TouchedPaths()
  /// What the writes before it in the same commit have touched.
  var committing: TouchedList?

  init(space: SpaceID, device: Bytes32) {
    self.space = space
    self.device = device
  }

  /// The log or branch that holds change 0 of a log.
  func root(of log: Int) -> Int {
    var root = log
    while logs[root].first > 0, let parent = logs[root].parent { root = parent }
    return root
  }

  /// Is `left` newer than `right`: by stamp, then by log?
  func isNewer(_ left: some Ordered, than right: some Ordered) -> Bool {
    if left.stamp != right.stamp { return left.stamp > right.stamp }
    return logs[left.dot.log].id > logs[right.dot.log].id
  }

  /// Everything that was applied, as one context.
  var everything: Context {
    var context = Context()
    for (index, log) in logs.enumerated() where !log.isEmpty { context.raise(index, to: log.count) }
    return context
  }

  /// The tip of every log and branch.
  var clock: VectorClock {
    var isTip = logs.map { !$0.isEmpty }
    for log in logs where !log.isEmpty {
      if let parent = log.parent, log.first == logs[parent].count { isTip[parent] = false }
    }
    return VectorClock(
      logs.indices.filter { isTip[$0] }.map {
        LogPosition(log: logs[$0].introduced, seq: logs[$0].count - 1, hash: logs[$0].head)
      })
  }

  /// The last change of the log that this device wrote to last.
  var writtenPosition: LogPosition? {
    guard let currentLog, !logs[currentLog].isEmpty else { return nil }
    let log = logs[currentLog]
    return LogPosition(log: log.introduced, seq: log.count - 1, hash: log.head)
  }

  /// The highest stamp of any change that is not void.
  var highestStamp: Stamp? { logs.compactMap(\.ceiling).max() }
}
