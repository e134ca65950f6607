#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

/// Makes a new database out of what can be found in a damaged one, and puts it in its place.
///
/// ```
/// data/                what is damaged, until the new one takes its name
/// repair.new/          the new database while it is made; what a repair left that was cut short is thrown away
/// data.damaged-1/ …    what was damaged, until the user removes it
/// ```
struct HomeRepair {
  let home: Home
  let space: SpaceID
  let keys: DeviceKeys
  let rows: SalvagedRows
  let history: SalvagedHistory
  /// How many changes of each log somebody is known to have.
  let acknowledged: [LogID: UInt64]
  let environment: Environment

  private var newPath: String { "\(home.path)/repair.new" }
  private static let dataFile = "data.mdb"
  private var damaged: String { "\(home.dataPath)/\(Self.dataFile)" }

  /// Makes the new database, on the disk when it returns.
  ///
  /// - Returns: Changes of this device for which there is no room in it.
  func build(_ report: inout RepairReport) throws(TreeError) -> [ChangeRun] {
    try discard()
    try FileSystem.makeDirectory(newPath)
    let store = try Store.open(newPath, options: StoreOptions(durability: .unsafeNoSync))
    let (space, keys, rows) = (space, keys, rows)
    let queue: WriteQueue<Replica>
    do {
      try store.write { table in try HomeRepair.begin(space, keys, rows, table) }
      queue = WriteQueue(
        store, load: { try Replica.load($0, keys: keys) }, beforeCommit: { rows, state in try state.recordCommit(rows) }
      )
      defer { queue.close() }
      let leftOver = try feed(history.runs, queue, &report)
      try queue.submit { table, state in try HomeRepair.leave(&state, table) }
      let verdict = try store.read { table in try Database.verify(table) }
      guard verdict.isSound else {
        throw TreeError(.internal, "the new database is not sound: \(verdict.problems[0])", advice: "Report this.")
      }
      try store.sync()
      return leftOver
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "cannot make the new database", underlying: "\(error)")
    }
  }

  /// What is not a change: whose home it is, what the user chose, remotes and images.
  private static func begin(
    _ space: SpaceID, _ keys: DeviceKeys, _ found: SalvagedRows, _ rows: borrowing StoreTransaction
  ) throws(TreeError) {
    try Replica.initialize(space: space, device: keys.signingKey, rows)
    let remade = [
      Replica.MetaKey.identity, Replica.MetaKey.state, Replica.MetaKey.frontier, Replica.MetaKey.genesis,
      Replica.MetaKey.claim,
    ]
    for (key, value) in found.meta where !remade.contains(key) { try rows.put(.meta, key, value) }
    // It stands elsewhere now than its guard says, whatever that said: it goes on like a restored home.
    try OpenedHome.forgetPlace(rows)
    if let claim = found.claim(of: keys.signingKey, in: space) {
      try rows.put(.meta, Replica.MetaKey.claim, claim.encoded)
      try rows.put(.meta, Replica.MetaKey.repaired, [1])
    }
    for (key, value) in found.remotes { try rows.put(.remote, key, value) }
    for (key, value) in found.blobs { try rows.put(.blob, key, value) }
  }

  /// Hands the runs to the one way in until none goes on; the rest stays and waits: this device's own first, since there
  /// is not room for everything.
  ///
  /// - Returns: What there is no room for of this device's own.
  private func feed(
    _ runs: [ChangeRun], _ queue: WriteQueue<Replica>, _ report: inout RepairReport
  ) throws -> [ChangeRun] {
    var rest = runs
    while !rest.isEmpty {
      var (blocked, applied) = ([ChangeRun](), 0)
      for chunk in HomeRepair.chunks(rest) {
        let reception = try receive(chunk, queue)
        applied += reception.applied
        blocked += reception.blocked.map(\.run)
        report.problems += reception.refused.map { "a run of changes is not taken: \($0.error.context)" }
      }
      report.changes += applied
      rest = blocked
      if applied == 0 { break }
    }
    let leftOver = try keepOwn(rest.filter { history.ownLogs.contains($0.log) }, queue)
    let others = rest.filter { !history.ownLogs.contains($0.log) }
    report.changes += try receive(others, queue, keepBlocked: true).applied
    report.changes += try keepFound(queue)
    try count(leftOver, queue, &report)
    return leftOver
  }

  private func receive(
    _ runs: [ChangeRun], _ queue: WriteQueue<Replica>, keepBlocked: Bool = false
  ) throws -> Reception {
    try queue.submit { rows, state in
      let reception = try state.receive(runs, keepBlocked: keepBlocked, rows)
      try state.flush(rows)
      return reception
    }
  }

  /// What is behind a change that there is no room for is not kept either: it would wait for ever.
  private func keepOwn(_ runs: [ChangeRun], _ queue: WriteQueue<Replica>) throws -> [ChangeRun] {
    try queue.submit { rows, state in
      var (leftOver, full) = ([ChangeRun](), Set<LogID>())
      let reception = try state.receive(runs, keepBlocked: false, rows)
      for blocked in reception.blocked {
        let run = blocked.run
        if !full.contains(run.log), try state.keepWaiting(run, for: blocked.reason, rows) { continue }
        full.insert(run.log)
        leftOver.append(run)
      }
      try state.flush(rows)
      return leftOver
    }
  }

  /// What waited in the damaged database, as far as there is room.
  ///
  /// - Returns: How many changes go on now.
  private func keepFound(_ queue: WriteQueue<Replica>) throws -> Int {
    let found = rows.waiting.map { (key: $0.key, value: $0.value.value, isLive: $0.value.isLive) }
      .sorted { $0.isLive != $1.isLive ? $0.isLive : $0.key.lexicographicallyPrecedes($1.key) }
    return try queue.submit { rows, state in
      for (key, value, _) in found where try rows.get(.waiting, key) == nil {
        let run = try Replica.waitingChange(key, value)
        guard state.waiting.hasRoom(for: run.byteCount, in: 1, of: run.log) else { continue }
        try rows.put(.waiting, key, value)
        state.waiting.add(run.byteCount, of: run.log)
      }
      state.mustRetryWaiting = !state.waiting.isEmpty
      let reception = try state.receive([], keepBlocked: true, rows)
      try state.flush(rows)
      return reception.applied
    }
  }

  /// Says what became of the changes.
  private func count(
    _ leftOver: [ChangeRun], _ queue: WriteQueue<Replica>, _ report: inout RepairReport
  ) throws {
    let (logs, waiting, isKeeper) = try queue.submit { rows, state in
      var waiting: [LogID: UInt64] = [:]
      try Replica.forEachWaiting(rows) { _, run in
        waiting[run.log, default: 0] += UInt64(run.bodies.count)
        return true
      }
      return (state.logs, waiting, state.authority.keeps(history: state.device))
    }
    report.isKeeper = isKeeper
    let own = logs.filter { $0.device == keys.signingKey }
    report.ownChanges = own.reduce(0) { $0 + Int($1.count - $1.first) }
    for log in history.ownLogs {
      let end = own.filter { $0.introduced == log }.map(\.count).max() ?? 0
      let left = leftOver.filter { $0.log == log }.reduce(0) { $0 + UInt64($1.bodies.count) }
      let there = end + (waiting[log] ?? 0) + left
      report.ownWaiting += Int(waiting[log] ?? 0)
      report.ownLost = HomeRepair.sum(report.ownLost, (history.ownCounts[log] ?? 0), without: there)
    }
    var others: [LogID: UInt64] = [:]
    for log in logs { others[log.introduced, default: 0] += log.count - log.first }
    let missing = history.counts.merging(acknowledged) { max($0, $1) }.filter { log, known in
      !history.ownLogs.contains(log) && known > others[log] ?? 0
    }
    let counts = history.counts
    let missed = missing.map { log, known in
      (log, MissedChanges.Known(said: known, found: min(known, counts[log] ?? 0)))
    }
    try queue.submit { rows, _ in try MissedChanges.store(Dictionary(uniqueKeysWithValues: missed), rows) }
    for log in Set(history.counts.keys).union(waiting.keys) where !history.ownLogs.contains(log) {
      let applied = others[log] ?? 0
      let known = max(history.counts[log] ?? 0, applied + (waiting[log] ?? 0))
      report.othersMissing = HomeRepair.sum(report.othersMissing, known, without: applied)
    }
  }

  /// Numbers that a damaged file says may be any.
  private static func sum(_ sum: Int, _ all: UInt64, without there: UInt64) -> Int {
    let (result, overflow) = sum.addingReportingOverflow(Int(clamping: all - min(all, there)))
    return overflow ? .max : result
  }

  /// About as much as one commit takes at best.
  private static let chunkBytes = 4 << 20

  private static func chunks(_ runs: [ChangeRun]) -> [[ChangeRun]] {
    var (chunks, bytes) = ([[ChangeRun]](), chunkBytes)
    for run in runs {
      if bytes >= chunkBytes { (chunks, bytes) = (chunks + [[]], 0) }
      chunks[chunks.count - 1].append(run)
      bytes += run.byteCount
    }
    return chunks
  }

  /// The next write begins a new log: others may hold more of the one that this device wrote to.
  private static func leave(_ state: inout Replica, _ rows: borrowing StoreTransaction) throws(TreeError) {
    let own = (state.indicesByDevice[state.device] ?? []).filter { !state.logs[$0].isEmpty }
    state.currentLog = own.max { (state.logs[$0].ceiling ?? .zero) < (state.logs[$1].ceiling ?? .zero) }
    state.mustLeave = true
    state.metaChanged = true
    try state.flush(rows)
  }

  /// Gives the damaged database a second name, under which it stays.
  ///
  /// - Returns: The folder that holds it.
  func keepDamaged() throws(TreeError) -> String {
    let folder = try folderForDamaged(damaged)
    let copy = "\(folder)/\(Self.dataFile)"
    if !FileSystem.exists(copy), unsafe link(damaged, copy) != 0 {
      let code = errno
      let error = FileSystem.error(code, "cannot keep the damaged database as", copy)
      guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(code) else { throw error }
      throw TreeError(
        .inputOutput, error.context,
        advice: "That volume knows no hard links: copy the home to one that does, such as ext4, and repair it there.",
        underlying: error.underlying)
    }
    try FileSystem.syncDirectory(folder)
    try FileSystem.syncDirectory(home.path)
    return folder
  }

  /// Puts the new database in the place of the damaged one. One rename decides: whenever the machine stops, the home has
  /// the one or the other.
  func replace() throws(TreeError) {
    try FileSystem.retrying("cannot put the new database in the place of", damaged) {
      unsafe rename("\(newPath)/\(Self.dataFile)", damaged)
    }
    try FileSystem.syncDirectory(home.dataPath)
    try discard()
  }

  /// The next free name; or the one that a repair has made which was cut short behind that.
  private func folderForDamaged(_ damaged: String) throws(TreeError) -> String {
    let identity = try FileSystem.identity(damaged)
    var number = 1
    while true {
      let folder = "\(home.path)/data.damaged-\(number)"
      if try FileSystem.makeDirectory(folder) { return folder }
      let copy = "\(folder)/\(Self.dataFile)"
      if !FileSystem.exists(copy) { return folder }
      if try FileSystem.identity(copy) == identity { return folder }
      number += 1
    }
  }

  /// Removes what is left of the making of a database.
  private func discard() throws(TreeError) {
    guard FileSystem.exists(newPath) else { return }
    for name in try FileSystem.list(newPath) { try FileSystem.remove("\(newPath)/\(name)") }
    try FileSystem.remove(newPath)
  }
}

extension Replica.MetaKey {
  /// Stands in a home that was repaired and came by an invite.
  static let repaired = Array("repaired".utf8)
}
