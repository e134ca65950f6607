import OfflineTree
import TestSupport

/// Time and chance of one simulated device. Its wall clock jumps; the other one never steps back.
final class SimulatedClock: Sendable {
  private struct State {
    var wall: Int64
    var monotonic: UInt64 = 1_000_000_000_000
    var random: SeededRandom
  }

  private let state: Monitor<State>

  init(wall: Int64, seed: UInt64) { state = Monitor(State(wall: wall, random: SeededRandom(seed: seed))) }

  var wall: Int64 { state.withLock { $0.wall } }
  var monotonic: UInt64 { state.withLock { $0.monotonic } }

  /// The wall clock is set, by years perhaps, within what a machine's clock can say.
  func jump(by milliseconds: Int64) {
    state.withLock { $0.wall = min(max($0.wall &+ milliseconds, 0), 1 << 47) }
  }

  func pass(milliseconds: Int64) {
    state.withLock {
      $0.wall += milliseconds
      $0.monotonic += UInt64(milliseconds) * 1_000_000
    }
  }

  func bytes(_ count: Int) -> [UInt8] { state.withLock { $0.random.bytes(count) } }

  func environment(_ files: SimulatedFiles) -> Environment {
    var environment = Environment(
      wallClock: { self.wall }, monotonicClock: { self.monotonic }, randomBytes: { self.bytes($0) },
      machineIdentity: { Array("simulated machine".utf8) })
    environment.files = files
    return environment
  }
}
