/// The changes that were found in a damaged home, as runs that others can check.
struct SalvagedHistory: Sendable {
  /// Runs that end in a signature of their log's device, nearly in causal order.
  private(set) var runs: [ChangeRun] = []
  /// This device's own changes that nothing vouches for any more: they were found outside of the database's trees, and
  /// without a signature anybody may have written them; or this device cannot sign any more.
  private(set) var unsigned: [ChangeRun] = []
  /// Which logs are this device's.
  private(set) var ownLogs: Set<LogID> = []
  /// What of those logs the damaged database had.
  private(set) var ownCounts: [LogID: UInt64] = [:]
  /// Changes that the damaged database had of each log, branches included.
  private(set) var counts: [LogID: UInt64]
  /// Does a signature that was found say that the space is the right one?
  private(set) var isConfirmed = false

  /// - Parameters:
  ///   - device: Whose own changes are meant.
  ///   - keys: Sign what was committed and has lost its signature; nil if they are lost.
  ///   - isNewest: Can the newest head and all that it leads to be read? Then what else there is of this device's logs was
  ///     never committed.
  init(_ rows: SalvagedRows, in space: SpaceID, of device: Bytes32, keys: DeviceKeys?, isNewest: Bool) {
    let ownerships = rows.ownerships(in: space)
    counts = rows.liveCounts(ownerships)
    for log in Self.logs(rows, ownerships) {
      var pieces = log.pieces(of: space)
      if counts[log.id] == nil {
        let owner = SalvagedRows.Owner(log: log.id, device: log.device)
        counts[log.id] = log.signedCount(rows.staleLogs.values.compactMap { $0[owner] }, space)
      }
      isConfirmed = isConfirmed || pieces.contains { $0.isSigned }
      guard log.device == device else {
        runs += pieces.filter(\.isSigned).map(\.run)
        continue
      }
      if log.isProven || pieces.contains(where: \.isSigned) {
        ownLogs.insert(log.id)
        ownCounts[log.id] = rows.count(of: log.id, ownerships)
      }
      // Two changes with one number: what was committed is the one, and a write that never came to its end the other.
      let committed = pieces.filter(\.isLive)
      pieces.removeAll { piece in
        !piece.isLive
          && (isNewest || committed.contains { $0.run.first <= piece.run.first && piece.run.first <= $0.run.last })
      }
      for piece in pieces { take(own: piece, log, space, keys) }
    }
    runs = Self.sorted(runs)
  }

  /// The same changes may have been found in rows that were cut in another way: what is signed already is not doubted.
  private mutating func take(own piece: SalvagedLog.Piece, _ log: SalvagedLog, _ space: SpaceID, _ keys: DeviceKeys?) {
    if piece.isSigned { return runs.append(piece.run) }
    let isKnown = runs.contains { $0.log == log.id && $0.first <= piece.run.first && piece.run.last <= $0.last }
    if isKnown { return }
    // In the log of another it is not for this device to sign, whatever a row says that anybody may have made up.
    guard piece.isLive, log.isProven, let keys else { return unsigned.append(piece.run) }
    var run = piece.run
    run.signature = keys.sign(ChangeRun.signedHead(log: log.id, seq: run.last, head: run.head, space: space))
    runs.append(run)
  }

  private static func logs(_ rows: SalvagedRows, _ ownerships: [Int: SalvagedRows.Ownership]) -> [SalvagedLog] {
    var logs: [SalvagedRows.Owner: SalvagedLog] = [:]
    for (index, ownership) in ownerships {
      for owner in ownership.owners {
        var log = logs[owner] ?? SalvagedLog(id: owner.log, device: owner.device)
        log.isProven = log.isProven || ownership.proven.contains(owner)
        for (seq, found) in rows.signatures[index] ?? [:] { log.signatures[seq, default: []].formUnion(found) }
        logs[owner] = log
      }
    }
    for row in rows.runs {
      for owner in ownerships[row.run.log]?.owners ?? [] { logs[owner]?.rows.append(row) }
    }
    return logs.values.sorted { $0.id < $1.id }
  }

  /// By stamps, which are above those of all that a change had seen.
  private static func sorted(_ runs: [ChangeRun]) -> [ChangeRun] {
    func stamp(_ run: ChangeRun) -> Stamp {
      guard let body = run.bodies.first, case .change(let change, _)? = try? Change.decode(body) else { return .zero }
      return change.stamp
    }
    return runs.map { (stamp($0), $0) }
      .sorted { $0.0 != $1.0 ? $0.0 < $1.0 : ($0.1.log, $0.1.first) < ($1.1.log, $1.1.first) }.map(\.1)
  }
}
