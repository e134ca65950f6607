public import OfflineTree

/// What one exchange with one remote did.
public struct SyncReport: Sendable {
  /// Changes that are known to exist and could not be applied, because something before them is missing.
  public struct Hole: Hashable, Sendable {
    /// The log, under the id it was introduced with.
    public let log: LogID
    /// The first number that is missing or waits.
    public let first: UInt64
    /// The last number that is missing or waits.
    public let last: UInt64
    /// Since when, in milliseconds since 1970.
    public let since: Int64
    /// A sentence: what is missing.
    public let reason: String

    package init(log: LogID, first: UInt64, last: UInt64, since: Int64, reason: String) {
      self.log = log
      self.first = first
      self.last = last
      self.since = since
      self.reason = reason
    }
  }

  /// A file, or a piece of a stream, that was not taken, and why.
  public struct Refusal: Sendable {
    public let name: String
    public let error: TreeError

    package init(name: String, error: TreeError) {
      self.name = name
      self.error = error
    }
  }

  /// A peer that this exchange saw, and its clock when it last spoke.
  public struct Peer: Sendable {
    public let identity: PeerIdentity
    /// The peer's own wall clock when it last spoke, in milliseconds since 1970.
    public let wallTime: Int64

    package init(identity: PeerIdentity, wallTime: Int64) {
      self.identity = identity
      self.wallTime = wallTime
    }
  }

  /// Chunks of files that came from the remote.
  public internal(set) var chunks = 0
  /// Changes handed to the remote.
  public var sent = 0
  /// Changes that were new to this database, applied and durable.
  public var received = 0
  /// Changes that arrived and were there already.
  public var duplicates = 0
  /// Changes that this device had dropped, or never had the bodies of, and that are here again.
  public var fetched = 0
  /// Did this device, which had nothing of the space, begin with a checkpoint?
  public var hasBegunWithCheckpoint = false
  public var holes: [Hole] = []
  /// Bytes that are not what they must be; the rest went on.
  public var refused: [Refusal] = []
  /// Files that are not complete yet and are tried again later.
  public var incomplete = 0
  /// Names of files that are sealed with a key that this device does not have: of another space, or of this one, and
  /// the key has not come yet.
  public var locked: [String] = []
  /// Files that are none of this program's.
  public var foreign = 0
  /// Paths at which this device and a peer with the same changes do not hold the same: an alarm.
  public var divergences: [Path] = []
  /// Sentences for the user.
  public var notes: [String] = []
  public var peers: [Peer] = []

  package init() {}
}
