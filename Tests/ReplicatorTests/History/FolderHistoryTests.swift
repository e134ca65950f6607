import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// What was dropped is found again among the files of a folder.
@Suite struct FolderHistoryTests {
  private func write(_ database: Database, _ body: @escaping @Sendable (WriteTransaction) throws -> Void) throws {
    try database.write { try body($0) }
  }

  @Test func `a device that dropped fills what it needs from a folder's files, however they are cut`() async throws {
    let homes = try TestHomes()
    let keeper = try homes.make("keeper")
    let (dropper, away) = (try homes.make("dropper"), try homes.make("away"))
    // The founder's own changes nobody drops while it is the only keeper.
    let second = try homes.make("second keeper")
    try second.setHistoryRetention(.all)
    try second.upkeep()
    try dropper.keepLittle(block: 8)
    try write(keeper) { try $0.setValue(0 as Value, at: Path("counter")) }
    for database in [dropper, away, second] { try give(keeper, to: database) }
    for number in 0..<20 {
      try write(away) { try $0.vote(Path("counter"), voter: Key("voter\(number)"), choice: 1) }
    }
    let replicator = Replicator(database: dropper)
    try replicator.addRemote(.folder(path: homes.shared))
    // Many files of few changes each, some of which the keeper merges.
    for round in 0..<30 {
      for number in 0..<3 { try write(keeper) { try $0.increment(Path("counter"), by: .int(Int64(round + number))) } }
      try sync(keeper, homes.shared)
      if round % 5 == 0 { _ = try await replicator.syncOnce() }
    }
    for database in [second, keeper, dropper] { try sync(database, homes.shared) }
    _ = try await replicator.syncOnce()
    try expectEqual([keeper, dropper])
    try post("later", 3, on: dropper)
    for database in [dropper, keeper, dropper] { try sync(database, homes.shared) }
    for database in [second, keeper, dropper, second] { try sync(database, homes.shared) }
    _ = try await replicator.syncOnce()
    #expect(try replicator.compact().droppedChanges >= 80)
    // What it needs is in the folder alone.
    let before = try keeper.read { try $0.value(at: Path("counter")) }
    try sync(away, homes.shared)
    let report = try sync(dropper, homes.shared)
    #expect(report.fetched > 0 && report.holes.isEmpty)
    for database in [keeper, second, dropper, away] { try sync(database, homes.shared) }
    try expectEqual([keeper, second, dropper, away])
    guard case .int(let old) = before else {
      Issue.record("no number")
      return
    }
    #expect(try dropper.read { try $0.value(at: Path("counter")) } == .int(old + 20))
  }
}
