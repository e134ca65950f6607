package import OfflineTree

/// What a connection tells its owner.
package enum PeerEvent: Sendable {
  case connected(PeerIdentity)
  /// The peer has everything at and below this clock; `wallTime` is its own clock, in milliseconds since 1970.
  case acknowledged(PeerIdentity, VectorClock, wallTime: Int64)
  /// A home of a device that keeps all history has everything at and below this clock, of whoever's logs.
  case holds(PeerIdentity, VectorClock)
  /// The peer was asked for dropped history that is needed here, and does not have it.
  case lacks(PeerIdentity, HistoryGap)
  /// So many changes arrived and are durable.
  case received(Int)
  /// The connection ended; without an error it was ended by either side in order.
  case disconnected(PeerIdentity?, TreeError?)
  /// A sentence for the user.
  case note(String)
}
