import OfflineTree
import TestSupport
import Testing

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
    #expect(try RemoteRecords(database: dropper).lacks().count <= 1_024)
  }
}
