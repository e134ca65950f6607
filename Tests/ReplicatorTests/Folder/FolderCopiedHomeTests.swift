import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// Homes that are put back from a backup, and homes of which there are two.
@Suite struct FolderCopiedHomeTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws {
    (homes, first, second) = try TestHomes.two()
    try post("before", 3, on: first)
    try sync(first, homes.shared)
    try sync(second, homes.shared)
    try post("mine", 2, on: second)
    try sync(second, homes.shared)
  }

  private func notes(_ database: Database) throws -> Int {
    try database.read { try $0.keys(at: Path("notes")).count }
  }

  @Test func `a home that is put back fetches what it forgot, says so, and goes on in a new log`() throws {
    let backup = try homes.copy(second, to: "backup")
    try post("forgotten", 4, on: second)
    try sync(second, homes.shared)
    second.close()
    let restored = try homes.open(backup)
    let report = try sync(restored, homes.shared)
    #expect(report.received == 4)
    #expect(report.notes.contains { $0.contains("backup") })
    let old = try restored.ownPosition()?.log
    try post("after", 1, on: restored)
    #expect(try restored.ownPosition()?.log != old)
    #expect(try sync(restored, homes.shared).notes.isEmpty)
    try homes.settle(first, restored)
    #expect(try notes(first) == 3 + 2 + 4 + 1)
    #expect(try first.read { try $0.status() }.forks.isEmpty)
  }

  @Test func `a home that is put back unnoticed and writes before it looks makes a branch, and both count`() throws {
    let home = "\(homes.directory)/third"
    let backup = try homes.live(home) { third in
      try post("third", on: third)
      try sync(third, homes.shared)
      return try bytes("\(home)/data/data.mdb")
    }
    let token = try homes.live(home) { third in
      try post("forgotten", 4, on: third)
      try sync(third, homes.shared)
      return third.homeToken
    }
    try homes.restoreUnnoticed(home, backup)
    let restored = try homes.open(home)
    #expect(restored.homeToken == token, "the guard saw the restore: nothing was tested")
    try post("after", 2, on: restored)
    #expect(try sync(restored, homes.shared).notes.contains { $0.contains("backup") })
    try homes.settle(restored, first)
    #expect(try notes(first) == 3 + 2 + 1 + 4 + 2)
    #expect(try first.read { try $0.status() }.forks.count == 1)
    try post("later", on: restored)
    try homes.settle(restored, first)
    let newcomer = try homes.join("newcomer")
    try homes.settle(newcomer, first, restored)
    #expect(try notes(newcomer) == 3 + 2 + 1 + 4 + 2 + 1)
    for database in [first, restored, newcomer] { #expect(try sync(database, homes.shared).sent == 0) }
  }

  @Test func `a home that lost what only an acknowledgement remembers goes on in a new log`() throws {
    let backup = try homes.copy(second, to: "backup")
    try post("forgotten", 1, on: second)
    try sync(second, homes.shared)
    try sync(first, homes.shared)
    second.close()
    for name in try segments(below: homes.shared) { try FileSystem.remove("\(homes.shared)/\(name)") }
    let restored = try homes.open(backup)
    let report = try sync(restored, homes.shared)
    #expect(report.notes.contains { $0.contains("backup") })
    #expect(try restored.read { try $0.status() }.mustLeaveLog)
    try post("after", on: restored)
    try homes.settle(first, restored)
    #expect(try notes(restored) == 3 + 2 + 1 + 1)
  }

  @Test func `two copies of a home with changes pending both go on, and nothing is lost or doubled`() throws {
    try post("pending", 2, on: second)
    let twin = try homes.open(try homes.copy(second, to: "twin"))
    #expect(twin.homeToken != second.homeToken)
    for round in 0..<3 {
      try post("second \(round)", on: second)
      try post("twin \(round)", on: twin)
      if round == 1 { try sync(second, homes.shared) }
    }
    try homes.settle(second, twin, first)
    #expect(try notes(first) == 3 + 2 + 2 + 6)
    try post("later", on: second)
    try post("later", on: twin)
    try homes.settle(second, twin, first)
    #expect(try notes(first) == 3 + 2 + 2 + 6 + 2)
  }

  @Test func `branches of one log are published, merged and read by a newcomer`() throws {
    let twin = try homes.open(try homes.copy(second, to: "twin"))
    let exchanges = [homes.exchange(second), homes.exchange(twin), homes.exchange(first)]
    for round in 0..<25 {
      try post("second \(round)", on: second)
      try post("twin \(round)", on: twin)
      for exchange in exchanges where round % 3 == 0 { #expect(exchange.exchange().error == nil) }
    }
    try homes.settle(second, twin, first)
    let newcomer = try homes.join("newcomer")
    try homes.settle(newcomer, first)
    #expect(try notes(newcomer) == 3 + 2 + 50)
    for exchange in exchanges { #expect(exchange.exchange().error == nil) }
    for exchange in exchanges { #expect(exchange.exchange().report.sent == 0) }
  }
}
