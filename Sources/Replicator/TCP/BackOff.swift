/// How long to wait before the next attempt: longer each time, and never in step with others.
struct BackOff: Sendable {
  static let first = 1.0
  static let last = 60.0
  /// Seconds connected after which the next failure counts as the first.
  static let resetAfter = 30.0

  private var interval = BackOff.first

  /// Seconds to wait: the interval, up to a fifth less or more by `chance` from 0 to 255.
  mutating func next(chance: UInt8) -> Double {
    defer { interval = min(interval * 1.5, Self.last) }
    return interval * (0.8 + 0.4 * Double(chance) / 255)
  }

  /// For an error that waiting is unlikely to mend.
  mutating func jumpToLast() { interval = Self.last }
  mutating func reset() { interval = Self.first }
}
