package import OfflineTree

/// The last nonces that were seen, the oldest forgotten first.
///
/// Safe to use from any thread.
package final class NonceMemory: Sendable {
  package static let capacity = 65_536

  private struct State {
    var known: Set<Bytes16> = []
    /// In their order, from `oldest` on and around.
    var ring: [Bytes16] = []
    var oldest = 0
  }

  private let capacity: Int
  private let state = Monitor(State())

  package init(capacity: Int = NonceMemory.capacity) { self.capacity = capacity }

  package var count: Int { state.withLock { $0.ring.count } }

  /// False if it was seen before.
  package func isNew(_ nonce: Bytes16) -> Bool {
    state.withLock { state in
      guard state.known.insert(nonce).inserted else { return false }
      if state.ring.count < capacity {
        state.ring.append(nonce)
      } else {
        state.known.remove(state.ring[state.oldest])
        state.ring[state.oldest] = nonce
        state.oldest = (state.oldest + 1) % capacity
      }
      return true
    }
  }
}
