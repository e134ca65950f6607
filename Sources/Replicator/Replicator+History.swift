package import OfflineTree

/// What became of history that this device keeps.
public struct HistoryReport: Sendable, Equatable {
  /// Changes that were compressed.
  public let packedChanges: Int
  /// Changes of which the bytes were dropped.
  public let droppedChanges: Int
  /// Bytes of what was looked at, before and after.
  public let bytesBefore: Int
  public let bytesAfter: Int
  /// Keepers of which no home has said yet what it has, or on whose word nothing can rest yet: nothing is dropped that
  /// they may lack. By name, for people.
  public let silentKeepers: [String]
}

extension Replicator {
  /// Compresses history, and drops what the setting lets go and every keeper is known to have (`docs/merge.md`).
  ///
  /// Reads and writes of others go on meanwhile. Blocks on the disk: not for the cooperative pool.
  ///
  /// - Parameter progress: Called now and then with logs done and logs in all.
  /// - Throws: What keeps the database from working.
  @discardableResult
  public func compact(progress: (_ done: Int, _ all: Int) -> Void = { _, _ in }) throws -> HistoryReport {
    // Who keeps no longer says so first.
    try database.upkeep()
    let clocks = try keeperClocks()
    let heard = Set(clocks.filter { !$0.clock.positions.isEmpty }.map(\.device))
    let silent = try database.history().keepers.filter {
      !heard.contains($0.deviceKey) && $0.deviceKey != database.deviceKey
    }
    let report = try database.compact(keepers: clocks, progress: progress)
    // Nothing was needed when it was dropped: if it is one day, it is asked for anew.
    if report.droppedChanges > 0 { try records.forgetLacks() }
    try limitMissed()
    return HistoryReport(
      packedChanges: report.packedChanges, droppedChanges: report.droppedChanges, bytesBefore: report.bytesBefore,
      bytesAfter: report.bytesAfter, silentKeepers: silent.map(\.deviceName))
  }

  static let daySeconds: Int64 = 86_400
  static let hourSeconds: Int64 = 3_600
  /// Below so many changes there is nothing to gain.
  private static let fewestChanges: UInt64 = 4_096

  /// Compacts if the last time, or the first that this was asked, is so many seconds ago.
  func compactIfDue(after seconds: Int64) throws {
    let count = try database.clock().positions.reduce(UInt64(0)) { $0 &+ $1.seq &+ 1 }
    guard count >= Self.fewestChanges else { return }
    let now = environment.wallClock()
    if let last = try records.lastCompaction() {
      let elapsed = now.subtractingReportingOverflow(last)
      // A clock that was set back waits for nothing.
      guard elapsed.overflow || elapsed.partialValue < 0 || elapsed.partialValue >= seconds * 1_000 else { return }
      try compact()
      try attestIfDue(count)
    }
    try records.setLastCompaction(now)
  }

  /// From so many changes on a newcomer is better off with a checkpoint.
  private static let changesWorthACheckpoint: UInt64 = 65_536

  /// The founder's device vouches for a checkpoint once the space has grown by a quarter since the last one.
  private func attestIfDue(_ count: UInt64) throws {
    guard count >= Self.changesWorthACheckpoint,
      try database.read({ try $0.genesis()?.founder }) == database.deviceKey
    else { return }
    if let last = try records.lastAttested(), count < last &+ last / 4 { return }
    do {
      try database.attest()
    } catch let error as TreeError where error.code == .limitExceeded || error.code == .refused {
      // Too large, or this device is out of the space: newcomers read the history.
    } catch let error as TreeError where error.code == .unavailable {
      // Other changes came between: after the next compaction, not at once, since that would begin anew as well.
      return
    }
    try records.setLastAttested(count)
  }

  /// A home of which nothing new was heard for so long does not count if something was of another one of the same device.
  static let silentMilliseconds: Int64 = 30 * daySeconds * 1_000

  /// What homes of keepers are known to hold.
  func keeperClocks() throws(TreeError) -> [KeeperClock] {
    let now = environment.wallClock()
    let all = try records.keepers()
    let counting = all.filter { kept in
      let isSilent = now.subtractingReportingOverflow(kept.heardAt)
      guard !isSilent.overflow, isSilent.partialValue > Self.silentMilliseconds else { return true }
      return !all.contains { $0.device == kept.device && $0.home != kept.home && $0.heardAt > kept.heardAt }
    }
    return try database.reliable(
      counting.map { KeeperClock(device: $0.device, home: $0.home, clock: $0.clock) })
  }

  /// Keeps what a home has if its device keeps all history.
  package func keepIfKeeper(_ peer: PeerIdentity, _ clock: VectorClock) throws {
    guard peer.homeToken != database.homeToken, try database.keepers().contains(peer.deviceKey) else { return }
    try records.note(
      RemoteRecords.Kept(
        device: peer.deviceKey, home: peer.homeToken, heardAt: environment.wallClock(), clock: clock))
    try limitMissed()
  }
}
