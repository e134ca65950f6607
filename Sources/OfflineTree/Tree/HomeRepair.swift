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
  let environment: Environment

  private var newPath: String { "\(home.path)/repair.new" }
  private static let dataFile = "data.mdb"

  /// Makes the new database, on the disk when it returns.
  func build(_ report: inout RepairReport) throws(TreeError) {
    try discard()
    try FileSystem.makeDirectory(newPath)
    let store = try Store.open(newPath, options: StoreOptions(durability: .unsafeNoSync))
    let (space, keys, rows) = (space, keys, rows)
    let queue: WriteQueue<Replica>
    do {
      try store.write { table in try HomeRepair.begin(space, keys, rows, table) }
      queue = WriteQueue(store, load: { try Replica.load($0, keys: keys) })
      defer { queue.close() }
      let blocked = try feed(history.runs, queue, &report)
      report.ownWaiting = blocked.reduce(0) { $0 + $1.bodies.count }
      try queue.submit { table, state in try HomeRepair.leave(&state, table) }
      let verdict = try store.read { table in try Database.verify(table) }
      guard verdict.isSound else {
        throw TreeError(.internal, "the new database is not sound: \(verdict.problems[0])", advice: "Report this.")
      }
      try store.sync()
    } catch let error as TreeError {
      throw error
    } catch {
      throw TreeError(.internal, "cannot make the new database", underlying: "\(error)")
    }
  }

  /// What is not a change: whose home it is, what the user chose, remotes, images, and what waited for others.
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
    for (key, value) in found.waiting where key.count == 32 { try rows.put(.waiting, key, value) }
  }

  /// Hands the runs to the one way in until none goes on; of this device's own the rest stays and waits.
  ///
  /// - Returns: What waits of this device.
  private func feed(
    _ runs: [ChangeRun], _ queue: WriteQueue<Replica>, _ report: inout RepairReport
  ) throws -> [ChangeRun] {
    var rest = runs
    while !rest.isEmpty {
      var (blocked, applied) = ([ChangeRun](), 0)
      for chunk in HomeRepair.chunks(rest) {
        let reception = try receive(chunk, queue, keepBlocked: false)
        applied += reception.applied
        report.changes += reception.applied
        blocked += reception.blocked.map(\.run)
        report.problems += reception.refused.map { "a run of changes is not taken: \($0.error.context)" }
      }
      rest = blocked
      if applied == 0 { break }
    }
    let own = rest.filter { history.ownLogs.contains($0.log) }
    _ = try receive(own, queue, keepBlocked: true)
    let others = rest.filter { !history.ownLogs.contains($0.log) }
    _ = try receive(others, queue, keepBlocked: true)
    let applied = try queue.submit { _, state in
      (state.indicesByDevice[state.device] ?? []).map { index in
        (log: state.logs[index].introduced, first: state.logs[index].first, end: state.logs[index].count)
      }
    }
    report.ownChanges = applied.reduce(0) { $0 + Int($1.end - $1.first) }
    for log in history.ownLogs {
      let end = applied.filter { $0.log == log }.map(\.end).max() ?? 0
      let waiting = own.filter { $0.log == log }.reduce(0) { $0 + UInt64($1.bodies.count) }
      let known = rows.counts[log] ?? 0
      if known > end + waiting { report.ownLost += Int(known - end - waiting) }
    }
    return own
  }

  private func receive(
    _ runs: [ChangeRun], _ queue: WriteQueue<Replica>, keepBlocked: Bool
  ) throws -> Reception {
    try queue.submit { rows, state in
      let reception = try state.receive(runs, keepBlocked: keepBlocked, rows)
      try state.flush(rows)
      return reception
    }
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

  /// Puts the new database in the place of the damaged one, which is kept. One rename decides: whenever the machine
  /// stops, the home has the one or the other.
  ///
  /// - Returns: The folder that holds the damaged one.
  func swap() throws(TreeError) -> String {
    let damaged = "\(home.dataPath)/\(Self.dataFile)"
    let folder = try folderForDamaged(damaged)
    let copy = "\(folder)/\(Self.dataFile)"
    if !FileSystem.exists(copy) {
      try FileSystem.retrying("cannot keep the damaged database as", copy) { unsafe link(damaged, copy) }
    }
    try FileSystem.syncDirectory(folder)
    try FileSystem.syncDirectory(home.path)
    try FileSystem.retrying("cannot put the new database in the place of", damaged) {
      unsafe rename("\(newPath)/\(Self.dataFile)", damaged)
    }
    try FileSystem.syncDirectory(home.dataPath)
    try discard()
    return folder
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
