import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// What is dropped rests on what keepers were heard to have.
@Suite struct KeeperClockTests {
  @Test func `nothing is dropped before the keeper was heard of`() async throws {
    let homes = try TestHomes()
    let keeper = try homes.make("keeper")
    let other = try homes.make("other")
    try other.keepLittle(block: 4)
    try post("note", 40, on: keeper)
    try give(keeper, to: other)
    let replicator = Replicator(database: other)
    #expect(try replicator.compact().droppedChanges == 0)
    #expect(try replicator.compact().silentKeepers == ["keeper"])
    // By a folder, in which the keeper says what it has.
    try replicator.addRemote(.folder(path: homes.shared))
    try sync(keeper, homes.shared)
    _ = try await replicator.syncOnce()
    #expect(try replicator.keeperClocks().map(\.clock) == [keeper.clock()])
    #expect(try replicator.compact().silentKeepers.isEmpty)
  }

  @Test func `a folder's keeper is heard of whole, also if it became one after it was heard`() async throws {
    let homes = try TestHomes()
    let founder = try homes.make("founder")
    let (keeper, other) = (try homes.make("keeper"), try homes.make("other"))
    try give(keeper, to: founder)
    try post("note", 20, on: keeper)
    let replicator = Replicator(database: other)
    try replicator.addRemote(.folder(path: homes.shared))
    try sync(keeper, homes.shared)
    _ = try await replicator.syncOnce()
    #expect(try !replicator.records.keepers().contains { $0.device == keeper.deviceKey })
    try keeper.setHistoryRetention(.all)
    try keeper.upkeep()
    try sync(keeper, homes.shared)
    _ = try await replicator.syncOnce()
    #expect(try other.keepers().contains(keeper.deviceKey))
    #expect(try replicator.keeperClocks().first { $0.device == keeper.deviceKey }?.clock == keeper.clock())
    #expect(try sync(founder, homes.shared).refused.isEmpty)
  }

  @Test func `a home that was silent for a month does not count if another of its device was heard`() throws {
    let (homes, keeper, other) = try TestHomes.two()
    defer { withExtendedLifetime(homes) {} }
    let replicator = Replicator(database: other)
    let now = replicator.environment.wallClock()
    func note(_ home: UInt8, days: Int64, _ clock: VectorClock) throws {
      try replicator.records.note(
        RemoteRecords.Kept(
          device: keeper.deviceKey, home: Bytes16([UInt8](repeating: home, count: 16)),
          heardAt: now - days * 86_400_000, clock: clock))
    }
    let clock = try keeper.clock()
    try note(1, days: 40, VectorClock([]))
    #expect(try replicator.keeperClocks().count == 1)
    try note(2, days: 1, clock)
    #expect(try replicator.keeperClocks().map(\.clock) == [clock])
    // One of which something was heard lately counts, whatever it has.
    try note(3, days: 20, VectorClock([]))
    #expect(try replicator.keeperClocks().count == 2)
  }

  @Test func `two keepers that stop, not knowing of each other, do not rely on each other`() throws {
    let homes = try TestHomes()
    let (founder, keeper) = (try homes.make("founder"), try homes.make("keeper"))
    try keeper.setHistoryRetention(.all)
    try keeper.upkeep()
    try give(keeper, to: founder)
    #expect(try founder.keepers() == [founder, keeper].map(\.deviceKey).sorted())
    func said(by database: Database) throws -> [KeeperClock] {
      [KeeperClock(device: database.deviceKey, home: database.homeToken, clock: try database.clock())]
    }
    // Both say so before they hear of the other.
    for database in [founder, keeper] {
      try database.setHistoryRetention(.little)
      try database.upkeep()
    }
    let early = try said(by: keeper)
    #expect(try founder.reliable(early).allSatisfy { $0.clock.positions.isEmpty })
    try give(keeper, to: founder)
    #expect(try founder.keepers().isEmpty && founder.reliable(said(by: keeper)).isEmpty)
  }
}
