/// What is to be done with a damaged home. LMDB dies of a damaged file, so all of this reads it without LMDB.
extension Database {
  /// What is wrong with the data file of a home, in sentences; empty if nothing is.
  ///
  /// It finds what is wrong with pages, with their order and with checksums. Whether what the records say fits together,
  /// `verify` tells.
  /// - Parameter maximumBytes: Of a longer file only the pages that lead to others are looked at.
  /// - Throws: `notFound` if there is no home.
  /// - Complexity: O(bytes of the file), about a second for a gigabyte.
  public static func damage(at path: String, maximumBytes: UInt64 = .max) throws(TreeError) -> [String] {
    try Sodium.requireSound()
    return try SalvageFile(dataFile(of: try Home(existing: path))).problems(maximumBytes: maximumBytes)
  }

  private static func dataFile(of home: Home) -> String { "\(home.dataPath)/data.mdb" }

  /// Makes a new database out of what can be found in a damaged one, and puts it in its place; the damaged one is kept.
  ///
  /// Everything that is taken over is proven: changes by their chain and their device's signature. This device's own keep
  /// their numbers and bytes. Afterwards the home is like one that was restored: its next write begins a new log, and what
  /// is missing comes with the next sync. Whoever has the home open must close it first, in this process too.
  ///
  /// - Parameters:
  ///   - path: The folder of the home.
  ///   - known: From the rows of remotes to how many changes of each log somebody is known to have.
  /// - Throws: `unavailable` if somebody has the home open; `damaged` if nothing tells whose it was, or if this device's
  ///   keys are lost: then changes that were found are in a file for people; `full`, `inputOutput`. Then nothing else has
  ///   changed.
  /// - Complexity: O(bytes of the file), and its history in memory.
  package static func repair(
    at path: String, environment: Environment = .system,
    known: ([(key: [UInt8], value: [UInt8])]) -> [LogID: UInt64] = { _ in [:] }
  ) throws(TreeError) -> RepairReport {
    try Sodium.requireSound()
    let home = try Home(existing: path)
    let lock = try OpenLock(home.dataPath, isAlone: true)
    defer { withExtendedLifetime(lock) {} }
    var rows = SalvagedRows()
    let file = try SalvageFile(dataFile(of: home))
    let outcome = try file.salvage(SalvagedRows.tables) { record in rows.take(record) }
    var report = RepairReport(problems: outcome.problems)
    let needed: Set<Table> = [.log, .run, .signature]
    let isNewest = file.metas.count == 2 && outcome.tornTables.isDisjoint(with: needed)
    if file.metas.count == 2, !outcome.tornTables.contains(.log) { rows.forgetStaleLogs() }
    let (space, keys) = try owner(of: home, rows, isNewest) { device in
      let history = SalvagedHistory(rows, in: rows.spaces[0], of: device, keys: nil, isNewest: isNewest)
      let counts = known(rows.remotes.map { ($0.key, $0.value) })
      return (history.runs.filter { history.ownLogs.contains($0.log) } + history.unsigned)
        .filter { $0.last >= counts[$0.log] ?? 0 }
    }
    let history = SalvagedHistory(rows, in: space, of: keys.signingKey, keys: keys, isNewest: isNewest)
    let repair = HomeRepair(
      home: home, space: space, keys: keys, rows: rows, history: history,
      acknowledged: known(rows.remotes.map { ($0.key, $0.value) }), environment: environment)
    let leftOver = try repair.build(&report)
    let ownerships = rows.ownerships(in: space)
    var unproven = UnprovenChanges(besides: history.runs, history.unsigned)
    // What the newest head does not lead to was never committed, if all that it leads to can be read.
    if !isNewest { unproven.add(rows) { ownerships[$0] == nil } }
    report.unproven = unproven.found
    if outcome.tornTables.contains(.remote) {
      report.doubtfulRemotes = rows.staleRemotes.filter { $0.key.first == 1 && rows.remotes[$0.key] == nil }
        .map { String(decoding: $0.value.dropFirst(9), as: UTF8.self) }.sorted()
    }
    report.damagedCopy = try repair.keepDamaged()
    // Before the new database is there: else nobody would look for it again.
    report.ownLeftOver = (leftOver + history.unsigned).reduce(0) { $0 + $1.bodies.count }
    if report.ownLeftOver > 0 || report.unproven > 0 {
      report.leftOverFile = try write(LeftOverFile(leftOver, unproven: unproven), in: report.damagedCopy)
    }
    try repair.replace()
    return report
  }

  private static func write(_ file: LeftOverFile, in folder: String) throws(TreeError) -> String {
    let path = "\(folder)/changes.json"
    var file = file
    try FileSystem.writeFileDurably(path, file.bytes(), mode: 0o600)
    return path
  }

  /// In which space this device is, and its keys.
  ///
  /// - Parameter pending: This device's own changes that nobody else is known to have.
  private static func owner(
    of home: Home, _ rows: SalvagedRows, _ isNewest: Bool, pending: (Bytes32) -> [ChangeRun]
  ) throws(TreeError) -> (SpaceID, DeviceKeys) {
    let spaces = rows.spaces
    guard let first = spaces.first else {
      throw try nobodys(
        rows, home, "nothing in the database of \(home.path) says whose it was")
    }
    let identity = rows.values(of: Replica.MetaKey.identity).first { $0.count == 65 }
    do throws(TreeError) {
      let keys = try DeviceKeys.read(from: home.path, space: first)
      let known = identity.map { Bytes32($0[33...]) }
      if isNewest, let known, known != keys.signingKey { _ = try DeviceKeys.read(from: home.path, (first, known)) }
      for space in spaces {
        let history = SalvagedHistory(rows, in: space, of: keys.signingKey, keys: nil, isNewest: isNewest)
        // Also unsigned: whose log it is its introduction proves, if nothing else names another space.
        if history.isConfirmed || spaces.count == 1 && !history.ownLogs.isEmpty {
          return (space, try DeviceKeys.read(from: home.path, space: space))
        }
      }
      if rows.meta[Replica.MetaKey.identity] != nil { return (first, keys) }
      // Nothing signed is left. Old pages say one thing alone, and it is this device's: made up it would stand beside the
      // true one.
      if Set(rows.values(of: Replica.MetaKey.identity)).count == 1, known == keys.signingKey { return (first, keys) }
    } catch {
      guard error.code == .damaged || error.code == .notFound, let identity else { throw error }
      throw try lost(home, error, pending(Bytes32(identity[33...])))
    }
    throw try nobodys(
      rows, home, "what is left of the database of \(home.path) does not say in which space it was")
  }

  /// Changes may stand in a file of which nothing says whose it was: they are written down for people.
  private static func nobodys(_ rows: SalvagedRows, _ home: Home, _ context: String) throws(TreeError) -> TreeError {
    let advice = "Restore the home from a backup, or ask for an invite and join with a new home."
    var found = UnprovenChanges(besides: [], [])
    found.add(rows) { _ in true }
    found.addWaiting(of: rows)
    if found.found == 0 { return TreeError(.damaged, "\(context): there is nothing to save", advice: advice) }
    let path = try write(LeftOverFile([], unproven: found), in: home.path)
    return TreeError(
      .damaged, "\(context). Nothing proves whose the \(found.found) changes are that stand in it: they are in \(path)",
      advice: advice + " Enter there again what you miss of that file.")
  }

  /// Without its keys a device cannot speak for itself: what only it has is written down for people.
  private static func lost(_ home: Home, _ error: TreeError, _ pending: [ChangeRun]) throws(TreeError) -> TreeError {
    if pending.isEmpty { return error }
    let path = try write(LeftOverFile(pending), in: home.path)
    let count = pending.reduce(0) { $0 + $1.bodies.count }
    return TreeError(
      error.code, "\(error.context). What it wrote and nobody is known to have (\(count) changes) is in \(path)",
      advice:
        "Put the key back if there is a copy of it. Else ask for an invite, join with a new home, and enter there "
        + "again what is in that file.", underlying: error.underlying)
  }
}
