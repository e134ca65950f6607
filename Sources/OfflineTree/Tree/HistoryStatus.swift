/// How much history a device keeps. What is live, who may do what, and its own changes stay everywhere.
public enum HistoryRetention: Sendable, Equatable {
  /// All of it, from the beginning.
  case all
  /// What is younger than so many days, by the wall time of each change.
  case days(Int)
  /// As little as it can.
  case little
}

/// What a replica holds of history.
public struct HistoryStatus: Sendable, Equatable {
  /// Changes that are applied.
  public var changes: UInt64 = 0
  /// Those of which the bytes are dropped.
  public var droppedChanges: UInt64 = 0
  /// Bytes of rows of changes as they came, of compressed ones, and of what stays where changes were dropped.
  public var plainBytes = 0
  public var packedBytes = 0
  public var gapBytes = 0
  /// Changes that wait for history that this device dropped.
  public var waitingChanges = 0
  /// Who has promised to keep all history.
  public var keepers: [Keeper] = []

  public struct Keeper: Sendable, Equatable {
    public let deviceKey: Bytes32
    public let deviceName: String
  }
}

/// What a compaction has done.
package struct CompactionReport: Sendable, Equatable {
  /// Changes whose rows were compressed.
  package var packedChanges = 0
  /// Changes whose bytes were dropped.
  package var droppedChanges = 0
  /// Bytes that rows of changes took before and take now, of those that were looked at.
  package var bytesBefore = 0
  package var bytesAfter = 0

  package init() {}
}

/// What became of history that was fetched.
package struct HistoryFill: Sendable {
  /// Dropped changes that are here again.
  package var filled = 0
  /// What became of changes that had waited for them.
  package var reception = Reception()

  package init() {}
}
