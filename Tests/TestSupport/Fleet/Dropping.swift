package import OfflineTree

/// What a test does with the history of a replica.
extension Database {
  /// Small blocks, and nothing kept that may be dropped.
  package func keepLittle(block: UInt64) throws {
    try setHistoryBlock(block)
    try setHistoryRetention(.little)
  }

  /// Drops what the keepers have.
  @discardableResult
  package func drop(keepers: [Database]) throws -> CompactionReport {
    let clocks = try keepers.map { keeper in
      KeeperClock(device: keeper.deviceKey, home: keeper.homeToken, clock: try keeper.clock())
    }
    return try compact(keepers: clocks)
  }

  /// Fetches what is wanted from another replica, until that has no more of it.
  /// - Returns: How many changes came back.
  @discardableResult
  package func fetch(from keeper: Database, atOnce: Int = 8) throws -> Int {
    var filled = 0
    while true {
      let runs = try wantedHistory(limit: atOnce).compactMap { try keeper.historyRun($0) }
      let fill = try fill(runs)
      if fill.filled == 0 { return filled }
      filled += fill.filled
    }
  }
}
