/// What a replica knows of one log.
public struct LogStatus: Sendable, Equatable {
  /// The id that orders its changes: the introduced one, or the branch's.
  public let id: LogID
  public let introduced: LogID
  public let deviceKey: Bytes32
  public let deviceName: String
  /// How many changes it has, the introduction included; of a branch, with those before it.
  public let count: UInt64
  /// The wall time of its last change, milliseconds since 1970.
  public let lastWallTime: Int64
  /// The milliseconds of the highest stamp in it.
  public let lastStamp: UInt64
  /// Is it of this device?
  public let isOwn: Bool
  /// Does this device write to it?
  public let isCurrent: Bool
  /// Is it a branch of a log that has forked?
  public let isBranch: Bool
}

/// A change that counts in clocks and contributes nothing.
public struct VoidChange: Sendable, Equatable {
  public let log: LogID
  public let deviceName: String
  public let seq: UInt64
  public let reason: String
}

/// What a person should know of a replica.
public struct DatabaseStatus: Sendable {
  public let logs: [LogStatus]
  /// Changes that wait for others, and their bytes.
  public let waitingCount: Int
  public let waitingBytes: Int
  /// Some of those were written by a newer version of this program.
  public let waitsForUpdate: Bool
  /// Of the runs that wait, those that need history which this device has dropped, and who keeps it.
  public let waitingForHistory: Int
  public let keepers: [HistoryStatus.Keeper]
  /// Changes of others that a repair of this home knew to exist, and that have not come since.
  public let missedByRepair: UInt64
  /// Introduced ids of logs that have forked.
  public let forks: [LogID]
  /// At most `limit` of the void changes, and how many there are; without those of this device that were dealt with.
  public let voids: [VoidChange]
  public let voidCount: Int
  /// The next write begins a new log, since others hold another history of this one.
  public let mustLeaveLog: Bool
}

extension ReadTransaction {
  /// Every log and branch that this replica holds.
  public func logs() throws -> [LogStatus] {
    let replica = try replica()
    return replica.logs.enumerated().filter { !$0.element.isEmpty }.map { index, log in
      LogStatus(
        id: log.id, introduced: log.introduced, deviceKey: log.device, deviceName: log.deviceName, count: log.count,
        lastWallTime: log.wallTime, lastStamp: log.ceiling?.milliseconds ?? 0, isOwn: log.device == replica.device,
        isCurrent: replica.currentLog == index && !replica.mustLeave, isBranch: log.parent != nil)
    }
  }

  /// What a person should know.
  /// - Complexity: O(logs + waiting changes + `limit`), and O(void changes of this device) if any was dealt with.
  public func status(limit: Int = 100) throws -> DatabaseStatus {
    let replica = try replica()
    let waiting = try Replica.waitingRuns(rows)
    var waitsForUpdate = false
    for run in waiting {
      if case .unknown? = try? Change.decode(run.bodies[0]) { waitsForUpdate = true }
    }
    let dealtWith = try replica.dealtWithVoids(rows)
    let forks = Set(replica.logs.filter { $0.parent != nil }.map(\.introduced))
    return DatabaseStatus(
      logs: try logs(), waitingCount: waiting.count, waitingBytes: waiting.reduce(0) { $0 + $1.byteCount },
      waitsForUpdate: waitsForUpdate, waitingForHistory: try replica.changesWaitingForHistory(rows),
      keepers: replica.keepers, missedByRepair: try MissedChanges.count(replica, rows), forks: forks.sorted(),
      voids: try replica.voids(without: dealtWith, limit: limit, rows),
      voidCount: try rows.count(.void) - dealtWith.count, mustLeaveLog: replica.mustLeave)
  }
}

extension Replica {
  func voids(
    without left: Set<Dot>, limit: Int, _ rows: borrowing StoreTransaction
  ) throws(TreeError) -> [VoidChange] {
    try rows.withCursor(.void) { (cursor) throws(TreeError) in
      var voids: [VoidChange] = []
      var isFound = try cursor.first()
      while isFound, voids.count < limit {
        let key = cursor.keyBytes
        let dot = Dot(log: Int(RowKey.number(key[..<4])), seq: RowKey.number(key[4...]))
        if !left.contains(dot) {
          let log = logs[dot.log]
          let row = try VoidRow(decoding: cursor.valueBytes)
          voids.append(
            VoidChange(log: log.introduced, deviceName: log.deviceName, seq: dot.seq, reason: row.reason))
        }
        isFound = try cursor.next()
      }
      return voids
    }
  }
}
