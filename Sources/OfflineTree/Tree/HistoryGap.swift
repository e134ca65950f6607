/// Consecutive changes of a log whose bytes a replica has dropped: one block of `Limits.historyBlock` numbers.
package struct HistoryGap: Hashable, Sendable {
  /// The id under which the log was introduced.
  package let log: LogID
  package let first: UInt64
  package let last: UInt64
  /// The hash of the change before the first; the space's id before change 0.
  package let hashBefore: Bytes32
  /// The hash of the last change.
  package let head: Bytes32

  package init(log: LogID, first: UInt64, last: UInt64, hashBefore: Bytes32, head: Bytes32) {
    self.log = log
    self.first = first
    self.last = last
    self.hashBefore = hashBefore
    self.head = head
  }
}

/// What one home of a device that keeps all history has said that it holds.
package struct KeeperClock: Sendable {
  package let device: Bytes32
  package let home: Bytes16
  package let clock: VectorClock

  package init(device: Bytes32, home: Bytes16, clock: VectorClock) {
    self.device = device
    self.home = home
    self.clock = clock
  }
}
