import Foundation
import TestSupport
import Testing

@testable import OfflineTree

/// Homes of every version open for ever.
@Suite struct VersionTests {
  private let folder: TestSupport.TemporaryFolder
  private let home: String

  init() throws {
    folder = try TestSupport.TemporaryFolder()
    home = "\(folder.path)/home"
    try folder.copy(Fixtures.folder.appendingPathComponent("homes/version-1").path, to: home)
    for name in ["", "/data"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: home + name)
    }
    for name in ["/data/data.mdb", "/device.key"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: home + name)
    }
  }

  private func version() throws -> UInt8? {
    try Home(existing: home).openStore(Fleet.options.store).read { rows in
      try rows.get(.meta, Replica.MetaKey.identity)?.first
    }
  }

  @Test func `a home of version 1 opens, holds what it held, and is of this version then`() throws {
    #expect(try version() == 1)
    for _ in 0..<2 {
      let database = try Database.open(at: home, options: Fleet.options)
      defer { database.close() }
      #expect("\(try database.stateHash())" == "007a5aed4eff520ac4a1006d594f67c5")
      #expect("\(try database.clock().digest)" == "d12877b6f1d1b1a2b73f905d276a1cb651223671aa2b25a4242c181e18502e93")
      let tree = try database.read { JSON(try $0.value(at: .root)) }
      #expect(tree == (try JSON(parsing: try Fixtures.text("homes/version-1.json"))))
      #expect(try database.verify().problems.isEmpty)
      #expect(try version() == Replica.formatVersion)
    }
    let database = try Database.open(at: home, options: Fleet.options)
    defer { database.close() }
    try database.write([.increment(PathKey("numbers/visits").path, .int(1))])
    try database.setHistoryBlock(2)
    #expect(try database.compact(keepers: []).packedChanges > 4)
    #expect(try database.verify().problems.isEmpty)
  }

  @Test func `a home of a later version is refused, and stays as it is`() throws {
    let data = URL(fileURLWithPath: "\(home)/data/data.mdb")
    try Home(existing: home).openStore(Fleet.options.store).write { rows in
      var identity = try rows.get(.meta, Replica.MetaKey.identity) ?? []
      identity[0] = Replica.formatVersion + 1
      try rows.put(.meta, Replica.MetaKey.identity, identity)
    }
    let before = try Data(contentsOf: data)
    let error = error { try Database.open(at: home, options: Fleet.options) }
    #expect(error?.code == .unsupportedVersion)
    #expect(try Data(contentsOf: data) == before)
  }
}
