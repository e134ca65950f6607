package import OfflineTree

/// Time and chance that a test owns.
package final class TestClock: Sendable {
  private struct State {
    var now: Int64
    var random: SeededRandom
  }

  private let state: Monitor<State>

  package init(now: Int64 = 0, seed: UInt64) {
    state = Monitor(State(now: now, random: SeededRandom(seed: seed)))
  }

  /// Milliseconds since 1970 by this clock.
  package var now: Int64 {
    get { state.withLock { $0.now } }
    set { state.withLock { $0.now = newValue } }
  }

  package func advance(by milliseconds: Int64) { state.withLock { $0.now += milliseconds } }

  package func bytes(_ count: Int) -> [UInt8] { state.withLock { $0.random.bytes(count) } }

  package var environment: Environment {
    Environment(
      wallClock: { self.now }, monotonicClock: { UInt64(clamping: self.now) &* 1_000_000 },
      randomBytes: { self.bytes($0) }, machineIdentity: { Array("test machine".utf8) })
  }
}
