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

  /// What is needed here of dropped history, as far as it is looked at.
  struct NeededHistory {
    /// What nobody has.
    var lost: [LostHistory] = []
    /// Is there more, which a keeper may have?
    var isSomeThere = false
  }

  /// Lost is what each keeper lacks: of each home that counts less was heard since, or it was asked and had it not, and of each
  /// keeper one was heard of. This device itself would not want what it has.
  func neededHistory() throws -> NeededHistory {
    let gaps = try database.wantedHistory(limit: Self.gapsLookedAt)
    if gaps.isEmpty { return NeededHistory() }
    let devices = Set(try database.keepers()).subtracting([database.deviceKey])
    guard !devices.isEmpty else { return NeededHistory(isSomeThere: true) }
    let (homes, lacks) = (try keepersHomes(), try recentLacks())
    let lost = gaps.filter { gap in
      devices.allSatisfy { device in
        let said = lacks.filter { $0.device == device && $0.gap == gap }.map(\.home)
        let known = homes.filter { $0.device == device }
        return !(known.isEmpty && said.isEmpty) && known.allSatisfy { said.contains($0.home) || !$0.clock.reaches(gap) }
      }
    }
    let names = Dictionary(try database.read { try $0.logs() }.map { ($0.introduced, $0.deviceName) }) { first, _ in
      first
    }
    let keepers = try database.members().filter { devices.contains($0.deviceKey) }.map(\.name)
    return NeededHistory(
      lost: LostHistory.joined(lost, names, keepers),
      isSomeThere: lost.count < gaps.count || gaps.count == Self.gapsLookedAt)
  }

  func lostHistory() throws -> [LostHistory] { try neededHistory().lost }

  /// A home of a keeper counts no more once something new was heard of another one of its device so much later: it was
  /// restored or repaired, and goes on as that one.
  private static let goneMilliseconds = daySeconds * 1_000

  /// What homes of keepers said that are not gone.
  private func keepersHomes() throws(TreeError) -> [RemoteRecords.Kept] {
    let devices = Set(try database.keepers())
    let all = try records.keepers().filter { devices.contains($0.device) }
    return all.filter { kept in
      !all.contains { other in
        guard other.device == kept.device, other.home != kept.home else { return false }
        let later = other.heardAt.subtractingReportingOverflow(kept.heardAt)
        return later.overflow ? other.heardAt > kept.heardAt : later.partialValue > Self.goneMilliseconds
      }
    }
  }

  /// A keeper that was asked long ago may have it by now.
  private func recentLacks() throws(TreeError) -> [RemoteRecords.Lack] {
    let now = environment.wallClock()
    return try records.lacks().filter { lack in
      let age = now.subtractingReportingOverflow(lack.heardAt)
      return !age.overflow && age.partialValue <= Self.silentMilliseconds
    }
  }

  /// Keeps that a keeper does not have what it was asked for.
  func noteLack(of gap: HistoryGap, at peer: PeerIdentity) throws {
    guard peer.homeToken != database.homeToken, try database.keepers().contains(peer.deviceKey) else { return }
    try records.note(
      RemoteRecords.Lack(device: peer.deviceKey, home: peer.homeToken, gap: gap, heardAt: environment.wallClock()))
  }

  /// What a repair missed because keepers had said so is missed only while one says so: its home may have been put back to
  /// an older state since, or it had said too much.
  func limitMissed() throws {
    try database.limitMissed { RemoteRecords.counts(in: try keepersHomes()) }
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
