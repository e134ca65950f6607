import OfflineTree
import Testing

@testable import Replicator

/// Devices that come by an invite, through a folder alone.
@Suite struct FolderNewcomerTests {
  let homes: TestHomes
  let founder: Database

  init() throws {
    homes = try TestHomes()
    founder = try homes.make("founder")
  }

  private func publish(_ text: String) throws {
    try post(text, on: founder)
    try sync(founder, homes.shared)
  }

  @Test func `a newcomer reads and writes while nobody else is awake`() throws {
    for number in 0..<3 { try publish("\(number)") }
    let home = founder.home
    founder.close()
    let newcomer = try homes.join("newcomer")
    #expect(try newcomer.isNewcomer())
    let report = try sync(newcomer, homes.shared)
    #expect(report.locked.isEmpty && report.refused.isEmpty && report.holes.isEmpty)
    #expect(try !newcomer.isNewcomer() && noteCount(newcomer) == 3)
    try post("hello", 2, on: newcomer)
    #expect(try sync(newcomer, homes.shared).sent == 2)
    let reopened = try homes.open(home)
    #expect(try sync(reopened, homes.shared).received == 3, "an introduction and two notes")
    #expect(try noteCount(reopened) == 5)
    try expectEqual([reopened, newcomer])
    #expect(try reopened.members().map(\.name) == ["founder", "newcomer"])
  }

  @Test(arguments: [1, 2, 3])
  func `who comes by an invite that is younger than rotations reads what is older`(rotations: Int) throws {
    for number in 0..<rotations {
      try publish("\(number)")
      try founder.rotate()
    }
    try publish("last")
    let invite = try founder.invite()
    try sync(founder, homes.shared)
    let newcomer = try homes.join("newcomer", by: invite)
    #expect(try known(by: newcomer).count == 1)
    let report = try sync(newcomer, homes.shared)
    #expect(report.locked.isEmpty && report.holes.isEmpty && report.notes.isEmpty)
    #expect(try noteCount(newcomer) == rotations + 1)
    #expect(try known(by: newcomer).count == rotations + 1)
    try sync(founder, homes.shared)
    try expectEqual([founder, newcomer])
  }

  @Test func `a newcomer whom a rotation did not know gets the key, behind what only that key opens`() throws {
    try publish("before")
    let old = try founder.epochs().current.id
    let newcomer = try homes.join("newcomer")
    let away = try homes.folder("away")
    for database in [founder, newcomer] { try sync(database, away) }
    try post("mine", on: newcomer)
    try founder.rotate()
    try publish("after")
    let locked = try sync(newcomer, homes.shared)
    #expect(!locked.locked.isEmpty && locked.refused.isEmpty)
    #expect(locked.notes.contains { $0.contains("key that this device does not have") })
    #expect(try noteCount(newcomer) == 2 && !newcomer.ownStanding().hasCurrentKey)
    let position = try #require(try founder.ownPosition())
    try sync(founder, homes.shared)
    let delivery = try #require(try founder.ownPosition())
    #expect(delivery.seq == position.seq + 1, "the founder has delivered the key")
    let files = try segments(ofLogOf: founder, below: homes.shared)
    let alone = files.filter { (try? header($0.bytes, founder).position) == delivery }
    #expect(try alone.map { try header($0.bytes, founder).first } == [delivery.seq])
    #expect(try alone.map { try epoch($0.bytes) } == [old])
    let report = try sync(newcomer, homes.shared)
    #expect(report.locked.isEmpty && report.holes.isEmpty)
    #expect(try noteCount(newcomer) == 3 && newcomer.ownStanding().hasCurrentKey)
    try expectEqual([founder, newcomer])
  }

  @Test func `who lacks the key of now passes on nothing that an older key would open`() throws {
    try publish("before")
    let old = try founder.epochs().current.id
    let newcomer = try homes.join("newcomer")
    let away = try homes.folder("away")
    for database in [founder, newcomer] { try sync(database, away) }
    try founder.rotate()
    try post("secret", on: founder)
    try give(founder, to: newcomer)
    #expect(try noteCount(newcomer) == 2 && !newcomer.ownStanding().hasCurrentKey)
    let other = try homes.folder("other")
    try sync(newcomer, other)
    let written = try segments(below: other).map { try header(try bytes("\(other)/\($0)"), newcomer) }
    let rotation = try #require(try founder.ownPosition()).seq - 1
    #expect(written.contains { $0.log != (try? founder.ownPosition()?.log) }, "its introduction is there")
    #expect(try written.filter { $0.log == (try founder.ownPosition()?.log) }.map(\.last).max() == rotation)
    #expect(try files(below: other, sealedIn: [old]).count == files(below: other).count)
    try sync(founder, other)
    try sync(newcomer, other)
    try expectEqual([founder, newcomer])
  }
}
