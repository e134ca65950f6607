import TestSupport
import Testing

@testable import OfflineTree
@testable import Replicator

/// What nobody has any more is said once everybody who should have it has said so.
@Suite struct LostHistoryTests {
  private let homes: TestHomes
  private let (keeper, second, dropper): (Database, Database, Database)
  private let replicator: Replicator

  /// A device has dropped history that a change of another one, which was away, needs.
  init() throws {
    homes = try TestHomes()
    (keeper, dropper) = (try homes.make("keeper"), try homes.make("dropper"))
    let away = try homes.make("away")
    second = try homes.make("second keeper")
    try second.setHistoryRetention(.all)
    try second.upkeep()
    try dropper.keepLittle(block: 8)
    try keeper.write { try $0.setValue(0 as Value, at: Path("counter")) }
    for database in [dropper, away, second] { try give(keeper, to: database) }
    try away.write { try $0.vote(Path("counter"), voter: Key("voter"), choice: 1) }
    for number in 0..<90 {
      try keeper.write { try $0.increment(Path("counter"), by: .int(Int64(number))) }
    }
    for database in [second, dropper] { try give(keeper, to: database) }
    for database in [keeper, dropper] { try give(second, to: database) }
    for database in [second, keeper] { try give(dropper, to: database) }
    replicator = Replicator(database: dropper)
    for database in [keeper, second] {
      try replicator.keepIfKeeper(database.identity, database.clock())
    }
    try #require(try replicator.compact().droppedChanges >= 80)
    try give(away, to: dropper)
    try #require(try dropper.history().waitingChanges == 1)
  }

  @Test
  func `it is named when each keeper has acknowledged less or was asked in vain, and not before`()
    throws
  {
    let wanted = try dropper.wantedHistory(limit: 64)
    let first = try #require(wanted.first)
    #expect(try replicator.lostHistory().isEmpty, "the keepers have it")
    try replicator.keepIfKeeper(keeper.identity, VectorClock([]))
    #expect(try replicator.lostHistory().isEmpty, "the second one has it")
    for gap in wanted { try replicator.noteLack(of: gap, at: dropper.identity) }
    #expect(try replicator.lostHistory().isEmpty, "this device's own word is none")
    for gap in wanted { try replicator.noteLack(of: gap, at: second.identity) }
    let lost = try replicator.lostHistory()
    #expect(lost.map(\.deviceName) == ["keeper"] && lost.first?.log == first.log)
    #expect(lost.first?.first == first.first && lost.last?.last == wanted.last?.last)
    #expect(Set(lost[0].keepers) == ["keeper", "second keeper"])
    #expect(try replicator.status().lost == lost)
    // One of them has it again.
    try replicator.keepIfKeeper(keeper.identity, keeper.clock())
    #expect(try replicator.lostHistory().isEmpty)
  }

  private static let day: Int64 = 86_400_000

  private func kept(
    _ database: Database, home: UInt8, daysAgo days: Int64, _ clock: VectorClock
  ) throws {
    try replicator.records.note(
      RemoteRecords.Kept(
        device: database.deviceKey, home: Bytes16([UInt8](repeating: home, count: 16)),
        heardAt: replicator.environment.wallClock() - days * Self.day, clock: clock))
  }

  @Test func `what a keeper's home said before it was put back hides nothing`() throws {
    try replicator.keepIfKeeper(second.identity, VectorClock([]))
    for (key, _) in try dropper.remoteRecords() where key.first == 4 && Bytes32(key.suffix(32)) == keeper.deviceKey {
      try dropper.setRecord(remote: key, nil)
    }
    try kept(keeper, home: 1, daysAgo: 5, keeper.clock())
    #expect(try replicator.lostHistory().isEmpty)
    // Both may be alive.
    try kept(keeper, home: 2, daysAgo: 5, VectorClock([]))
    #expect(try replicator.lostHistory().isEmpty)
    try kept(keeper, home: 2, daysAgo: 0, VectorClock([LogPosition(log: .zero, seq: 0, hash: .zero)]))
    #expect(try !replicator.lostHistory().isEmpty)
    // What it said is in a folder still, and is read again: that is no news.
    try kept(keeper, home: 1, daysAgo: 0, keeper.clock())
    #expect(try !replicator.lostHistory().isEmpty)
  }

  @Test func `what was asked for long ago may be there by now`() throws {
    try replicator.keepIfKeeper(keeper.identity, VectorClock([]))
    func lack(daysAgo days: Int64) throws {
      for gap in try dropper.wantedHistory(limit: 64) {
        let heardAt = replicator.environment.wallClock() - days * Self.day
        try replicator.records.note(
          RemoteRecords.Lack(device: second.deviceKey, home: second.homeToken, gap: gap, heardAt: heardAt))
      }
    }
    try lack(daysAgo: 40)
    #expect(try replicator.lostHistory().isEmpty)
    try lack(daysAgo: 2)
    #expect(try !replicator.lostHistory().isEmpty)
    let commit = try dropper.lastCommit()
    try lack(daysAgo: 2)
    #expect(try dropper.lastCommit() == commit, "what is known is not written again")
  }

  @Test func `what is here again and is dropped once more is not lost`() throws {
    let gaps = try dropper.wantedHistory(limit: 64)
    for gap in gaps { try replicator.noteLack(of: gap, at: second.identity) }
    for gap in gaps { _ = try dropper.fill([try #require(try keeper.historyRun(gap))]) }
    #expect(try replicator.records.lacks().count == gaps.count)
    #expect(try replicator.compact().droppedChanges > 0)
    #expect(try replicator.records.lacks().isEmpty)
  }

  @Test func `a part that is lost does not hide that a keeper may have the rest`() throws {
    try replicator.keepIfKeeper(keeper.identity, VectorClock([]))
    try dropper.submit { rows, state in try state.noteNeed(of: [.everything], by: Replica.ownAct, rows) }
    let gaps = try dropper.wantedHistory(limit: 64)
    try #require(gaps.count > 1)
    #expect(try replicator.status().needsKeeper)
    try replicator.noteLack(of: gaps[0], at: second.identity)
    var status = try replicator.status()
    #expect(status.lost.map(\.first) == [gaps[0].first] && status.needsKeeper)
    for gap in gaps { try replicator.noteLack(of: gap, at: second.identity) }
    status = try replicator.status()
    #expect(!status.lost.isEmpty && !status.needsKeeper)
  }

  @Test func `a device that keeps all is not named among those that lack what it needs`() throws {
    _ = try dropper.control(.keep(true))
    for database in [keeper, second] { try replicator.keepIfKeeper(database.identity, VectorClock([])) }
    let lost = try replicator.lostHistory()
    #expect(Set(lost.flatMap(\.keepers)) == ["keeper", "second keeper"])
  }

  @Test func `a keeper that was never heard may have it`() throws {
    for (key, _) in try dropper.remoteRecords() where key.first == 4 && Bytes32(key.suffix(32)) == second.deviceKey {
      try dropper.setRecord(remote: key, nil)
    }
    try replicator.keepIfKeeper(keeper.identity, VectorClock([]))
    #expect(try replicator.lostHistory().isEmpty)
    try replicator.keepIfKeeper(second.identity, VectorClock([]))
    #expect(try replicator.lostHistory().count == 1)
  }

  @Test func `whoever has it still lets what waits go on`() throws {
    for database in [keeper, second] {
      try replicator.keepIfKeeper(database.identity, VectorClock([]))
    }
    let gaps = try dropper.wantedHistory(limit: 64)
    for gap in gaps { _ = try dropper.fill([try #require(try keeper.historyRun(gap))]) }
    #expect(try replicator.lostHistory().isEmpty && dropper.history().waitingChanges == 0)
  }

  @Test func `answers that are kept are bounded`() throws {
    let gap = try #require(try dropper.wantedHistory(limit: 1).first)
    for number in 0..<1_100 {
      let other = HistoryGap(
        log: gap.log, first: UInt64(8 * number), last: UInt64(8 * number + 7), hashBefore: .zero,
        head: .zero)
      try replicator.noteLack(of: other, at: second.identity)
    }
    #expect(try (500...1_024).contains(RemoteRecords(database: dropper).lacks().count))
    let commit = try dropper.lastCommit()
    try RemoteRecords(database: dropper).forgetLacks()
    #expect(try dropper.lastCommit() == commit + 1 && RemoteRecords(database: dropper).lacks().isEmpty)
  }
}
