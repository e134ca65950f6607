import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Homes that were copied, put back, or lost (docs/museum.md).
@Suite struct CopiedHomeMuseumTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws {
    (homes, first, second) = try TestHomes.two()
    try Museum.increment(2, on: second)
    try sync(second, homes.shared)
    try sync(first, homes.shared)
  }

  /// A third home whose database went back in place to what it was, and that has sent more than it remembers.
  private func unnoticed() throws -> (restored: Database, sent: Int64) {
    let home = "\(homes.directory)/third"
    let backup = try homes.live(home) { third in
      try Museum.increment(3, on: third)
      try sync(third, homes.shared)
      return try bytes("\(home)/data/data.mdb")
    }
    try homes.live(home) { third in
      try Museum.increment(4, on: third)
      try sync(third, homes.shared)
    }
    try homes.restoreUnnoticed(home, backup)
    return (try homes.open(home), 3 + 4)
  }

  @Test func `two machines that were cloned from one image share no token, and what both write counts once`() throws {
    let path = try homes.copy(second, to: "clone")
    let clone = try homes.open(path)
    #expect(clone.deviceKey == second.deviceKey)
    #expect(clone.homeToken != second.homeToken)
    try Museum.increment(3, on: clone)
    try Museum.increment(5, on: second)
    try homes.settle(clone, second, first)
    #expect(try Museum.count(of: first) == .int(2 + 3 + 5))
  }

  @Test func `a device that was restored from a backup goes on above its old numbers, and loses nothing`() throws {
    let backup = try homes.copy(second, to: "backup")
    try Museum.increment(4, on: second)
    try sync(second, homes.shared)
    second.close()
    let restored = try homes.open(backup)
    try Museum.increment(8, on: restored)
    try homes.settle(restored, first)
    #expect(try Museum.count(of: first) == .int(2 + 4 + 8))
    #expect(try first.read { try $0.status() }.forks.isEmpty, "no number was given to two changes")
  }

  @Test func `what a restored device writes stands where it was written, and nowhere else`() throws {
    let backup = try homes.copy(second, to: "backup")
    for number in 0..<5 { try Museum.set("a/\(number)", .int(1), on: second) }
    try sync(second, homes.shared)
    second.close()
    let restored = try homes.open(backup)
    for number in 0..<5 { try Museum.set("b/\(number)", .int(2), on: restored) }
    try homes.settle(restored, first)
    for database in [restored, first] {
      #expect(try Museum.json("a", of: database) == #"{"0":1,"1":1,"2":1,"3":1,"4":1}"#)
      #expect(try Museum.json("b", of: database) == #"{"0":2,"1":2,"2":2,"3":2,"4":2}"#)
    }
  }

  @Test func `what a device writes after its log has forked is seen by everybody`() throws {
    let (restored, sent) = try unnoticed()
    try Museum.increment(10, on: restored)
    try homes.settle(restored, first)
    #expect(try first.read { try $0.status() }.forks.count == 1, "the log did fork")
    try Museum.increment(20, on: restored)
    try homes.settle(restored, first, second)
    for database in [restored, first, second] { #expect(try Museum.count(of: database) == .int(2 + sent + 10 + 20)) }
  }

  @Test func `two histories under one id leave every home openable and sound`() throws {
    let (restored, _) = try unnoticed()
    try Museum.increment(on: restored)
    try homes.settle(restored, first, second)
    #expect(try second.read { try $0.status() }.forks.count == 1)
    for database in [restored, first, second] {
      #expect(try Museum.isSound(database))
      let (path, state) = (database.home, try stateHash(database))
      database.close()
      #expect(try stateHash(try homes.open(path)) == state)
    }
  }

  @Test func `who lost the disk comes again, and no new write is taken for one that is known`() throws {
    second.close()
    try FileManager.default.removeItem(atPath: "\(second.home)/data")
    #expect(throws: TreeError.self, "a key without its database opens nothing as if it were new") {
      try Database.open(at: second.home, options: TestHomes.options)
    }
    try FileManager.default.removeItem(atPath: second.home)
    let again = try homes.join("second")
    try Museum.increment(3, on: try synced(again))
    try homes.settle(again, first)
    #expect(try Museum.count(of: first) == .int(2 + 3))
  }

  private func synced(_ database: Database) throws -> Database {
    try sync(database, homes.shared)
    return database
  }

  @Test func `increments that were answered before the process died count once`() throws {
    let path = "\(homes.directory)/third"
    let left = try homes.live(path) { third in
      try sync(third, homes.shared)
      try Museum.increment(50, on: third)
      // What a process leaves that dies here: the file as it is, and no word of good-bye.
      return try bytes("\(path)/data/data.mdb")
    }
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(path)/data/data.mdb"))
    try file.write(contentsOf: left)
    try file.close()
    let again = try homes.open(path)
    #expect(try Museum.count(of: again) == .int(2 + 50))
    try homes.settle(again, first)
    #expect(try Museum.count(of: first) == .int(2 + 50))
  }

  @Test func `a home that went back to an old state takes what is newer, and spreads nothing old`() throws {
    let backup = try homes.copy(second, to: "backup")
    try Museum.set("title", .string("old"), on: second)
    try Museum.set("title", .string("new"), on: second)
    try sync(second, homes.shared)
    try sync(first, homes.shared)
    second.close()
    let restored = try homes.open(backup)
    try homes.settle(restored, first)
    for database in [restored, first] { #expect(try Museum.scalar("title", of: database) == .string("new")) }
    #expect(try first.read { try $0.conflicts() }.isEmpty)
  }
}
