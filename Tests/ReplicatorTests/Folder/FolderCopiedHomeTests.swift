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

  private func settle(_ databases: Database...) throws {
    for _ in 0..<3 { for database in databases { try sync(database, homes.shared) } }
    try expectEqual(databases)
  }

  /// The second home as it is, copied to another place by the file system's own means.
  private func copySecond(to name: String) throws -> String {
    let copy = "\(homes.directory)/\(name)"
    try FileManager.default.copyItem(atPath: second.home, toPath: copy)
    return copy
  }

  @Test func `a home that is put back fetches what it forgot, says so, and goes on in a new log`() throws {
    let backup = try copySecond(to: "backup")
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
    try settle(first, restored)
    #expect(try notes(first) == 3 + 2 + 4 + 1)
    #expect(try first.read { try $0.status() }.forks.isEmpty)
  }

  @Test func `a home that is put back unnoticed and writes before it looks makes a branch, and both count`() throws {
    let home = "\(homes.directory)/third"
    let backup = try live(home) { third in
      try post("third", on: third)
      try sync(third, homes.shared)
      return try bytes("\(home)/data/data.mdb")
    }
    let token = try live(home) { third in
      try post("forgotten", 4, on: third)
      try sync(third, homes.shared)
      return third.homeToken
    }
    try restoreUnnoticed(home, backup)
    let restored = try homes.open(home)
    #expect(restored.homeToken == token, "the guard saw the restore: nothing was tested")
    try post("after", 2, on: restored)
    #expect(try sync(restored, homes.shared).notes.contains { $0.contains("backup") })
    try settle(restored, first)
    #expect(try notes(first) == 3 + 2 + 1 + 4 + 2)
    #expect(try first.read { try $0.status() }.forks.count == 1)
    try post("later", on: restored)
    try settle(restored, first)
    let newcomer = try homes.join("newcomer")
    try settle(newcomer, first, restored)
    #expect(try notes(newcomer) == 3 + 2 + 1 + 4 + 2 + 1)
    for database in [first, restored, newcomer] { #expect(try sync(database, homes.shared).sent == 0) }
  }

  /// A home that is open only while `body` runs, so that its files can be changed afterwards.
  private func live<R>(_ home: String, _ body: (Database) throws -> R) throws -> R {
    let database =
      if FileSystem.exists(home) {
        try Database.open(at: home, options: TestHomes.options)
      } else {
        try Database.join(
          at: home, invite: try #require(homes.invite), deviceName: "third", options: TestHomes.options)
      }
    defer { database.close() }
    if try database.clock().positions.isEmpty { try sync(database, homes.shared) }
    return try body(database)
  }

  /// Writes older bytes over a database's file in place, and takes away what would tell.
  private func restoreUnnoticed(_ home: String, _ backup: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(home)/data/data.mdb"))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: backup)
    try file.close()
    try FileSystem.remove("\(home)/wake")
  }

  @Test func `a home that lost what only an acknowledgement remembers goes on in a new log`() throws {
    let backup = try copySecond(to: "backup")
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
    try settle(first, restored)
    #expect(try notes(restored) == 3 + 2 + 1 + 1)
  }

  @Test func `two copies of a home with changes pending both go on, and nothing is lost or doubled`() throws {
    try post("pending", 2, on: second)
    let twin = try homes.open(try copySecond(to: "twin"))
    #expect(twin.homeToken != second.homeToken)
    for round in 0..<3 {
      try post("second \(round)", on: second)
      try post("twin \(round)", on: twin)
      if round == 1 { try sync(second, homes.shared) }
    }
    try settle(second, twin, first)
    #expect(try notes(first) == 3 + 2 + 2 + 6)
    try post("later", on: second)
    try post("later", on: twin)
    try settle(second, twin, first)
    #expect(try notes(first) == 3 + 2 + 2 + 6 + 2)
  }

  @Test func `branches of one log are published, merged and read by a newcomer`() throws {
    let twin = try homes.open(try copySecond(to: "twin"))
    let exchanges = [homes.exchange(second), homes.exchange(twin), homes.exchange(first)]
    for round in 0..<25 {
      try post("second \(round)", on: second)
      try post("twin \(round)", on: twin)
      for exchange in exchanges where round % 3 == 0 { #expect(exchange.exchange().error == nil) }
    }
    try settle(second, twin, first)
    let newcomer = try homes.join("newcomer")
    try settle(newcomer, first)
    #expect(try notes(newcomer) == 3 + 2 + 50)
    for exchange in exchanges { #expect(exchange.exchange().error == nil) }
    for exchange in exchanges { #expect(exchange.exchange().report.sent == 0) }
  }
}
