/// The set of changes that a change had seen, over the dense indices that this replica gives to logs.
///
/// Closed under causality: with a change it holds all before it. Indices are local and never leave the replica.
package struct Context: Equatable, Sendable {
  /// By log index: how many changes of the log are in the set. Missing entries are 0.
  private var counts: [UInt64] = []

  package init() {}

  package init(counts: [UInt64]) { self.counts = counts }

  /// Is the change (log, seq) in the set? O(1).
  package func covers(_ log: Int, _ seq: UInt64) -> Bool { log < counts.count && seq < counts[log] }

  /// How many changes of the log are in the set: the first seq that is not.
  package func count(_ log: Int) -> UInt64 { log < counts.count ? counts[log] : 0 }

  package mutating func raise(_ log: Int, to count: UInt64) {
    if log >= counts.count { counts.append(contentsOf: repeatElement(0, count: log + 1 - counts.count)) }
    if counts[log] < count { counts[log] = count }
  }

  package mutating func formUnion(_ other: Context) {
    for (log, count) in other.counts.enumerated() where count > 0 { raise(log, to: count) }
  }

  package func contains(_ other: Context) -> Bool {
    other.counts.enumerated().allSatisfy { count($0.offset) >= $0.element }
  }

  /// Log index and count of every log that has changes in the set.
  package var entries: [(log: Int, count: UInt64)] {
    counts.enumerated().compactMap { $0.element > 0 ? (log: $0.offset, count: $0.element) : nil }
  }

  package static func == (left: Context, right: Context) -> Bool { left.contains(right) && right.contains(left) }
}

/// One change by its local log index and its number.
package struct Dot: Hashable, Sendable {
  package let log: Int
  package let seq: UInt64

  package init(log: Int, seq: UInt64) {
    self.log = log
    self.seq = seq
  }
}
