public import OfflineTree

/// Consecutive changes of a log that this device dropped and needs, and that every device which keeps all history has said
/// it does not have.
public struct LostHistory: Sendable, Equatable {
  /// The id under which the log was introduced.
  public let log: LogID
  /// Whose log it is.
  public let deviceName: String
  public let first: UInt64
  public let last: UInt64
  /// The devices that keep all history, by name.
  public let keepers: [String]
}

extension Replicator {
  /// Gaps that are looked at.
  private static let gapsLookedAt = 64

  /// What is needed of dropped history and nobody has: each home of each keeper that was heard of has acknowledged less since,
  /// or was asked and had it not, and of each keeper one was heard of.
  func lostHistory() throws -> [LostHistory] {
    let gaps = try database.wantedHistory(limit: Self.gapsLookedAt)
    if gaps.isEmpty { return [] }
    let keepers = try database.members().filter { try database.keepers().contains($0.deviceKey) }
    guard !keepers.isEmpty else { return [] }
    let (kept, lacks) = (try records.keepers(), try records.lacks())
    let logs = try database.read { try $0.logs() }
    let names = Dictionary(logs.map { ($0.introduced, $0.deviceName) }) { first, _ in first }
    let lost = gaps.filter { gap in
      keepers.allSatisfy { keeper in
        // This device would not want what it has.
        if keeper.deviceKey == database.deviceKey { return true }
        let said = lacks.filter { $0.device == keeper.deviceKey && $0.gap == gap }.map(\.home)
        let homes = kept.filter { $0.device == keeper.deviceKey }
        return !(homes.isEmpty && said.isEmpty) && homes.allSatisfy { said.contains($0.home) || !$0.clock.reaches(gap) }
      }
    }
    return LostHistory.joined(lost, names, keepers.map(\.name))
  }

  /// Keeps that a keeper does not have what it was asked for.
  func noteLack(of gap: HistoryGap, at peer: PeerIdentity) throws {
    guard peer.homeToken != database.homeToken, try database.keepers().contains(peer.deviceKey) else { return }
    try records.note(RemoteRecords.Lack(device: peer.deviceKey, home: peer.homeToken, gap: gap))
  }
}

extension VectorClock {
  /// Does it say that all of a gap is there, whichever branch it is of?
  fileprivate func reaches(_ gap: HistoryGap) -> Bool {
    positions.contains { $0.log == gap.log && $0.seq >= gap.last }
  }
}

extension LostHistory {
  /// Neighbours as one.
  fileprivate static func joined(
    _ gaps: [HistoryGap], _ names: [LogID: String], _ keepers: [String]
  ) -> [LostHistory] {
    var result: [LostHistory] = []
    for gap in gaps.sorted(by: { ($0.log, $0.first) < ($1.log, $1.first) }) {
      var first = gap.first
      if let before = result.last, before.log == gap.log, before.last + 1 == gap.first {
        first = before.first
        result.removeLast()
      }
      result.append(
        LostHistory(
          log: gap.log, deviceName: names[gap.log] ?? "", first: first, last: gap.last, keepers: keepers))
    }
    return result
  }
}
