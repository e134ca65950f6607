internal import OfflineTree

/// How a database stands with its remotes.
public struct ReplicatorStatus: Sendable {
  /// A home of another device, as it was last heard by way of one remote.
  public struct Peer: Sendable {
    public let identity: PeerIdentity
    /// When we last heard something new of it, in milliseconds since 1970 by our wall clock.
    public let heardAt: Int64
    /// It is known to have every change of ours.
    public let hasAllOfOurs: Bool
    /// Its clock is off by at least so many milliseconds, ahead if above 0; nil if nothing shows that it is.
    public let skew: Int64?
  }

  public struct Remote: Sendable {
    public let address: RemoteAddress
    /// Changes of our own that nobody behind this remote has acknowledged.
    public let pending: Int
    public let peers: [Peer]
    /// When the last exchange that did something ended, or nil before the first.
    public let lastExchange: Int64?
    /// What a person should know of the last exchange; empty if all is well.
    public let problems: [String]
  }

  public let remotes: [Remote]
  /// Devices that dialled this one.
  public let incoming: [Peer]
  /// Other devices that are known to have every change of ours.
  public let safeOn: Int
  /// What something waits for here, and no device that keeps all history has any more.
  public let lost: [LostHistory]
  /// Is something needed here of dropped history that a device which keeps all may have?
  public let needsKeeper: Bool
}

extension Replicator {
  /// How this database stands with its remotes, from what it has heard: nothing is exchanged.
  public func status() throws -> ReplicatorStatus {
    let tips = try ownTips()
    let incoming = try members(records.seen(by: RemoteRecords.incoming))
    var everybody = incoming
    var remotes: [ReplicatorStatus.Remote] = []
    for address in try self.remotes() {
      let seen = try members(records.seen(by: address.description))
      let outcome = try records.outcome(of: address.description)
      everybody += seen
      remotes.append(
        ReplicatorStatus.Remote(
          address: address, pending: try pending(tips, seen),
          peers: try seen.map { try peer($0, tips, isLive: address.isLive) },
          lastExchange: outcome?.time, problems: outcome?.problems ?? []))
    }
    let safe = try everybody.filter { try pending(tips, [$0]) == 0 && $0.peer.deviceKey != database.deviceKey }
    let needed = try neededHistory()
    return ReplicatorStatus(
      remotes: remotes, incoming: try incoming.map { try peer($0, tips, isLive: true) },
      safeOn: tips.isEmpty ? 0 : Set(safe.map(\.peer.deviceKey)).count, lost: needed.lost,
      needsKeeper: needed.isSomeThere)
  }

  /// Without the devices that were removed since they were heard of: what they have, nobody can count on.
  private func members(_ seen: [RemoteRecords.Seen]) throws -> [RemoteRecords.Seen] {
    try seen.filter { try database.standing(of: $0.peer.deviceKey) == .member }
  }

  /// The last change of a log or branch of this device, and when it was made by our wall clock.
  private struct OwnTip {
    let position: LogPosition
    let wallTime: Int64
  }

  private func ownTips() throws -> [OwnTip] {
    let own = try database.read { try $0.logs().filter(\.isOwn) }
    return try database.clock().positions.compactMap { position in
      own.first { $0.introduced == position.log && $0.count == position.seq + 1 }
        .map { OwnTip(position: position, wallTime: $0.lastWallTime) }
    }
  }

  /// How many changes of each log of this device some other home is known to have.
  func heldCounts() throws -> [LogID: UInt64] {
    let remotes = try self.remotes().map(\.description) + [RemoteRecords.incoming]
    let seen = try members(remotes.flatMap { try records.seen(by: $0) })
    var counts: [LogID: UInt64] = [:]
    for position in seen.flatMap(\.positions) where try database.hasChange(position) {
      counts[position.log] = max(counts[position.log] ?? 0, position.seq + 1)
    }
    return counts
  }

  /// Own changes that none of these homes has.
  private func pending(_ tips: [OwnTip], _ seen: [RemoteRecords.Seen]) throws -> Int {
    var count = 0
    for tip in tips.map(\.position) {
      var held: UInt64 = 0
      for position in seen.flatMap(\.positions) where position.log == tip.log && position.seq >= held {
        // A position that is not here says nothing about what is: it may be of another branch.
        if try position == tip || position.seq <= tip.seq && database.hasChange(position) { held = position.seq + 1 }
      }
      count += Int(clamping: tip.seq + 1 - held)
    }
    return count
  }

  private func peer(
    _ seen: RemoteRecords.Seen, _ tips: [OwnTip], isLive: Bool
  ) throws -> ReplicatorStatus.Peer {
    ReplicatorStatus.Peer(
      identity: seen.peer, heardAt: seen.heardAt, hasAllOfOurs: try pending(tips, [seen]) == 0,
      skew: Self.skew(seen, tips, isLive: isLive))
  }

  /// Clocks that differ by less are taken for equal.
  private static let smallestSkew: Int64 = 60_000

  /// What shows that a peer's clock is off. A file may be old when it is read, so that it can only be too new; but no
  /// clock that is right says that something was received before it was made.
  private static func skew(_ seen: RemoteRecords.Seen, _ tips: [OwnTip], isLive: Bool) -> Int64? {
    let ahead = seen.wallTime.subtractingReportingOverflow(seen.heardAt)
    if ahead.overflow { return seen.wallTime }
    if ahead.partialValue > smallestSkew || isLive && ahead.partialValue < -smallestSkew { return ahead.partialValue }
    let made = tips.filter { seen.positions.contains($0.position) }.map(\.wallTime).max()
    guard let behind = made.map({ seen.wallTime.subtractingReportingOverflow($0) }), !behind.overflow else {
      return nil
    }
    return behind.partialValue < -smallestSkew ? behind.partialValue : nil
  }

  /// Keeps what a peer acknowledged: of its clock what is ours, and all of it if it keeps all history. Blocks on the disk.
  ///
  /// - Parameter isWhole: Is the clock that it acknowledged all of its clock?
  func keep(_ event: PeerEvent, remote: String, isWhole: Bool) throws {
    if case .holds(let peer, let clock) = event { return try keepIfKeeper(peer, clock) }
    if case .lacks(let peer, let gap) = event { return try noteLack(of: gap, at: peer) }
    guard case .acknowledged(let peer, let clock, let wallTime) = event, peer.homeToken != database.homeToken else {
      return
    }
    let own = Set(try ownTips().map(\.position.log))
    try records.note(
      RemoteRecords.Seen(
        peer: peer, wallTime: wallTime, heardAt: environment.wallClock(),
        positions: clock.positions.filter { own.contains($0.log) }),
      remote: remote)
    if isWhole { try keepIfKeeper(peer, clock) }
  }
}
