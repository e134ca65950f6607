internal import OfflineTree

extension FolderExchange {
  /// Compare before publish: a change in our own log that this copy did not write means that the copy was restored
  /// or cloned. What is ours was fetched by now; the next write goes to a new log.
  ///
  /// - Parameters:
  ///   - own: Where our log stood before this exchange read anything.
  ///   - isAhead: A file held changes of that log which the database did not have.
  func leaveLogIfAhead(_ own: LogPosition?, _ isAhead: Bool, _ report: inout SyncReport) throws {
    guard let own else { return }
    let isProven = isAhead
    var isAhead = isAhead
    for acknowledgement in index.acknowledgements.values where !isAhead {
      for position in acknowledgement.clock.positions where position.log == own.log {
        if try !database.hasChange(position) { isAhead = true }
      }
    }
    guard isAhead else { return }
    if try database.ownPosition()?.log == own.log { try database.leaveLog(isProven: isProven) }
    // It stays our position until the next write, and what is known stays missing where a folder lost it.
    if toldCopied == own.log { return }
    toldCopied = own.log
    report.notes.append(
      "The folder knew changes of this device that this copy did not have: it was restored from a backup or copied. "
        + "What was there is fetched, nothing is lost, and the next change goes to a new log.")
  }

  /// What is known to exist and is not here: by log, with the numbers.
  func holes(_ left: [LogID: [FolderPlan.Item]], _ blocked: [FolderName: Reception.Blocked]) throws -> [SyncReport.Hole]
  {
    let tips = Dictionary(try database.clock().positions.map { ($0.log, $0.seq) }, uniquingKeysWith: max)
    var found: Set<SyncReport.Hole> = []
    for (log, items) in left {
      let since = items.compactMap { index.entries[$0.name]?.stamp.modifiedMilliseconds }.min() ?? 0
      let reasons = items.compactMap { blocked[$0.name] }
      if reasons.isEmpty, let first = items.first?.header.first {
        found.insert(Self.gap(log, tips[log], before: first, since))
      }
      for rest in reasons { found.insert(Self.hole(rest, tips, since)) }
    }
    return found.sorted { ($0.log, $0.first, $0.last) < ($1.log, $1.first, $1.last) }
  }

  private static func gap(_ log: LogID, _ tip: UInt64?, before first: UInt64, _ since: Int64) -> SyncReport.Hole {
    let last = first > 0 ? first - 1 : 0
    let missing = min(tip.map { $0 + 1 } ?? 0, last)
    return SyncReport.Hole(
      log: log, first: missing, last: last, since: since,
      reason:
        "No file holds changes \(missing) to \(last) of log \(log): wait for the folder to be complete, or sync with another device"
    )
  }

  private static func hole(
    _ rest: Reception.Blocked, _ tips: [LogID: UInt64], _ since: Int64
  ) -> SyncReport.Hole {
    let (log, first, last) = (rest.run.log, rest.run.first, rest.run.last)
    switch rest.reason {
    case .missingPrevious:
      return gap(log, tips[log], before: first, since)
    case .missingParent(let parent):
      let missing = min(tips[parent.log].map { $0 + 1 } ?? 0, parent.seq)
      return SyncReport.Hole(
        log: parent.log, first: missing, last: parent.seq, since: since,
        reason: "Changes \(first) to \(last) of log \(log) wait for change \(parent.seq) of log \(parent.log)")
    case .missingGenesis:
      return SyncReport.Hole(
        log: log, first: first, last: last, since: since, reason: "The space's first change is not in the folder yet")
    case .unknownVersion:
      return SyncReport.Hole(
        log: log, first: first, last: last, since: since, reason: "A newer version wrote them: update this program")
    case .delayed:
      return SyncReport.Hole(
        log: log, first: first, last: last, since: since,
        reason: "Their device has many logs: they wait until another device has seen them")
    case .missingHistory:
      return SyncReport.Hole(
        log: log, first: first, last: last, since: since,
        reason: "They need history that this device has dropped: sync with a device that keeps all of it")
    }
  }
}
