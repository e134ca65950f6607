import OfflineTree
import Testing

@testable import Replicator

/// A device that was removed, and still has the folder.
@Suite struct FolderRemovalTests {
  let homes: TestHomes
  let founder: Database
  let second: Database
  let removed: Database
  let old: EpochID

  init() throws {
    homes = try TestHomes()
    founder = try homes.make("founder")
    second = try homes.make("second")
    removed = try homes.make("removed")
    old = try founder.epochs().current.id
    try post("before", 3, on: founder)
    for database in [founder, second, removed] { try sync(database, homes.shared) }
  }

  /// The names of the files that a home may open.
  private func readable(by database: Database) throws -> Set<String> {
    Set(try files(below: homes.shared, sealedIn: Set(try known(by: database).keys)))
  }

  @Test func `a removed device opens nothing that was made afterwards, and is told so`() throws {
    let before = Set(try files(below: homes.shared))
    try founder.removeMembers([removed.deviceKey])
    let rotation = try #require(try founder.ownPosition())
    for round in 0..<3 {
      try post("secret \(round)", on: founder)
      try sync(founder, homes.shared)
      try sync(second, homes.shared)
      try post("answer \(round)", on: second)
      try sync(second, homes.shared)
      let (report, error) = homes.exchange(removed).exchange()
      #expect(error == nil && report.refused.isEmpty)
      #expect(Set(report.locked) == Set(try files(below: homes.shared)).subtracting(try readable(by: removed)))
      #expect(report.notes.contains { $0.contains("key that this device does not have") })
      #expect(try noteCount(removed) == 3)
    }
    #expect(try known(by: removed).keys.elementsEqual([old]))
    #expect(try readable(by: second) == Set(try files(below: homes.shared)))
    // Of what others wrote since, the removed device can open what says that it was removed, and no more.
    let own = hexadecimal(removed.homeToken.bytes)
    let opened = try readable(by: removed).subtracting(before).filter { !$0.hasPrefix(own) }
    #expect(try opened.map { try header(try bytes("\(homes.shared)/\($0)"), removed).position } == [rotation])
    try sync(founder, homes.shared)
    try expectEqual([founder, second])
    #expect(try noteCount(founder) == 3 + 6)
  }

  @Test func `what a removed device writes afterwards counts nowhere`() throws {
    try founder.removeMembers([removed.deviceKey])
    try sync(founder, homes.shared)
    try sync(removed, homes.shared)
    let error = #expect(throws: TreeError.self) { try post("late", on: removed) }
    #expect(error?.code == .refused)
    removed.allowsVoidWrites = true
    try post("late", 2, on: removed)
    #expect(try sync(removed, homes.shared).sent == 2)
    for database in [second, founder] {
      let report = try sync(database, homes.shared)
      #expect(report.received >= 2 && report.refused.isEmpty && report.holes.isEmpty)
    }
    try sync(second, homes.shared)
    try expectEqual([founder, second])
    #expect(try noteCount(second) == 3 && noteCount(founder) == 3)
  }

  @Test func `what it wrote before it had heard of its removal does not count either, and is refused nowhere`() throws {
    try post("meanwhile", on: removed)
    try founder.removeMembers([removed.deviceKey])
    try sync(removed, homes.shared)
    for _ in 0..<2 { for database in [founder, second] { try sync(database, homes.shared) } }
    try expectEqual([founder, second])
    #expect(try noteCount(founder) == 3)
    #expect(try founder.members().first { $0.deviceKey == removed.deviceKey }?.isEnded == true)
  }

  @Test func `an old invite lets nobody in, and opens nothing new`() throws {
    try founder.removeMembers([removed.deviceKey])
    try post("secret", on: founder)
    try sync(founder, homes.shared)
    let back = try homes.join("back")
    for _ in 0..<2 {
      let report = try sync(back, homes.shared)
      #expect(!report.locked.isEmpty && report.refused.isEmpty)
      try sync(founder, homes.shared)
    }
    #expect(try noteCount(back) == 3)
    #expect(try back.isNewcomer() && back.ownStanding().isInviteEnded)
    #expect(try known(by: back).keys.elementsEqual([old]))
    #expect(try founder.members().count == 3)
  }
}
