import Foundation
import OfflineTree
import Testing

@testable import Replicator

/// Homes that are copied and put back, as disks and backups do it.
extension TestHomes {
  /// A home as it is, copied to another place by the file system's own means.
  func copy(_ database: Database, to name: String) throws -> String {
    let copy = "\(directory)/\(name)"
    try FileManager.default.copyItem(atPath: database.home, toPath: copy)
    return copy
  }

  /// A home that is open only while `body` runs, so that its files can be changed afterwards.
  func live<R>(_ home: String, _ body: (Database) throws -> R) throws -> R {
    let database =
      if FileSystem.exists(home) {
        try Database.open(at: home, options: Self.options)
      } else {
        try Database.join(at: home, invite: try #require(invite), deviceName: "third", options: Self.options)
      }
    defer { database.close() }
    if try database.clock().positions.isEmpty { try sync(database, shared) }
    return try body(database)
  }

  /// Writes older bytes over a database's file in place, and takes away what would tell.
  func restoreUnnoticed(_ home: String, _ backup: [UInt8]) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: "\(home)/data/data.mdb"))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: backup)
    try file.close()
    try FileSystem.remove("\(home)/wake")
  }

  /// Everybody looks into the shared folder, three times around, and then all are equal.
  func settle(_ databases: Database...) throws {
    for _ in 0..<3 { for database in databases { try sync(database, shared) } }
    try expectEqual(databases)
  }
}
