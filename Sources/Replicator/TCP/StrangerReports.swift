/// How often is told that somebody came and could not prove who it is: strangers can do so as often as they like.
struct StrangerReports {
  /// So many at once.
  private static let burst: UInt64 = 16
  /// Nanoseconds until one more.
  private static let interval: UInt64 = 10_000_000_000

  private var told: UInt64 = 0
  private var countedAt: UInt64 = 0

  /// - Parameter time: By a clock that never steps back.
  mutating func mayTell(at time: UInt64) -> Bool {
    let passed = (time &- countedAt) / Self.interval
    if passed > 0 {
      told -= min(told, passed)
      countedAt = time
    }
    guard told < Self.burst else { return false }
    told += 1
    return true
  }
}
