package import OfflineTree

/// Why a device was let in.
package enum Admission: Equatable, Sendable {
  /// Its introduction counts here, and it was not ended.
  case member
  /// Nobody here has heard of it, and its claim counts.
  case claimed([UInt8])
  /// Nobody here has heard of it, and this end, a newcomer itself, knows no members yet: until then, by the monotonic
  /// clock, in nanoseconds.
  case unjudged(until: UInt64)

  static func refusal(of key: Bytes32) -> TreeError {
    TreeError(
      .refused, "the device \(hexadecimal(key.bytes.prefix(4)))… may not take part in this space",
      advice: "It was removed, or this device has not heard of it yet: exchange with a device that knows both")
  }
}

/// What a connection asks of the space's authority; to be called from any thread, and each call reads what holds now.
package struct Membership: Sendable {
  var epochs: @Sendable () throws(TreeError) -> Epochs
  var standing: @Sendable (Bytes32) throws(TreeError) -> DeviceStanding
  var admits: @Sendable ([UInt8]) throws(TreeError) -> Bytes32?
  package var claim: @Sendable () throws(TreeError) -> [UInt8]?
  var isNewcomer: @Sendable () throws(TreeError) -> Bool
  var sign: @Sendable ([UInt8]) -> Signature
  /// Nanoseconds of a clock that never steps back.
  var now: @Sendable () -> UInt64
  /// So many of them a device may stay whom a newcomer cannot judge.
  var unjudged = ProtocolLimits.unjudged

  package init(_ database: Database) {
    epochs = { () throws(TreeError) in try database.epochs() }
    standing = { (key) throws(TreeError) in try database.standing(of: key) }
    admits = { (claim) throws(TreeError) in try database.admits(claim) }
    claim = { () throws(TreeError) in try database.claim() }
    isNewcomer = { () throws(TreeError) in try database.isNewcomer() }
    sign = { database.sign(.channel, $0) }
    now = database.environment.monotonicClock
  }

  /// Whether a device may take part, and why; nil if not.
  package func admission(of key: Bytes32, claim: [UInt8]?) throws(TreeError) -> Admission? {
    switch try standing(key) {
    case .member: return .member
    case .ended: return nil
    case .unknown:
      if let claim, try admits(claim) == key { return .claimed(claim) }
      return try isNewcomer() ? .unjudged(until: now() &+ unjudged) : nil
    }
  }

  /// Whether a device that was let in may stay, and why; nil if not.
  func admission(of key: Bytes32, after earlier: Admission) throws(TreeError) -> Admission? {
    switch (try standing(key), earlier) {
    case (.member, _): return .member
    case (.ended, _), (.unknown, .member): return nil
    case (.unknown, .claimed(let claim)): return try admits(claim) == key ? earlier : nil
    case (.unknown, .unjudged(let end)): return now() < end ? earlier : nil
    }
  }

  /// The keys that a device that dials offers, in the order in which it tries them.
  func offers() throws(TreeError) -> [EpochKeys] {
    let epochs = try epochs()
    return [epochs.current] + epochs.known.filter { $0.id != epochs.current.id }
  }
}
