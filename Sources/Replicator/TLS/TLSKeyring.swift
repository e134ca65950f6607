package import OfflineTree

/// What the end that listens knows of keys: the epochs that it tries, and the hellos that it has seen.
package struct TLSKeyring: Sendable {
  private let epochs: [EpochKeys]
  private let seen: NonceMemory

  package init(_ epochs: [EpochKeys], seen: NonceMemory) {
    self.epochs = epochs
    self.seen = seen
  }

  /// The keys that an identity means; nil if it is unknown here, or was here before.
  func epoch(for identity: some Collection<UInt8>) -> EpochKeys? {
    guard let identity = TLSIdentity(identity) else { return nil }
    // All are tried, found or not: the time says nothing.
    let found = epochs.filter { identity.isOf($0) }.first
    // Only right ones are remembered: who lacks the key cannot make it forget.
    guard let found, seen.isNew(identity.nonce) else { return nil }
    return found
  }
}
