import Foundation
import TestSupport
import Testing

@testable import OfflineTree

/// Giving room back to the disk.
@Suite struct ShrinkTests {
  private let fleet: Fleet
  /// A home of its own device, with much free room in its file; opened once where it stands.
  private let home: String
  private var file: String { "\(home)/data/data.mdb" }
  private var environment: Environment { fleet.members[1].clock.environment }

  init() throws {
    fleet = try Fleet(2, seed: 9)
    let path = PathKey("n").path
    let text = String(repeating: "x", count: 2_000_000)
    for _ in 0..<6 { try fleet[1].write { try $0.setValue(NewValue(Scalar.string(text)), at: path) } }
    try fleet[1].setHistoryBlock(1)
    _ = try fleet[1].compact(keepers: [])
    fleet.close(1)
    home = "\(fleet.folder.path)/home"
    try fleet.folder.copy(fleet.members[1].home, to: home)
    try opened { database in try database.write([.increment(PathKey("m").path, .int(1))]) }
  }

  /// Opens the home, and lets go of it.
  @discardableResult
  private func opened<R>(_ body: (Database) throws -> R) throws -> R {
    let result: R
    do {
      let database = try Database.open(at: home, environment: environment, options: Fleet.options)
      defer { database.close() }
      result = try body(database)
    }
    // What was begun on other threads may hold it a little longer.
    for _ in 0..<6_000 {
      if error({ try Store.withoutStore("\(home)/data") {} }) == nil { return result }
      usleep(10_000)
    }
    Issue.record("the home stays open")
    return result
  }

  private func shrink() throws -> (before: Int, after: Int) { try Database.shrink(at: home, environment: environment) }

  @Test func `the file is smaller then, and the home the same`() throws {
    let before = try opened { ($0.homeToken, try $0.stateHash(), try $0.clock(), try $0.ownPosition()?.log) }
    let sizes = try shrink()
    #expect(sizes.after * 2 < sizes.before)
    #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int == sizes.after)
    #expect(!FileManager.default.fileExists(atPath: "\(home)/data.new"))
    try opened { database in
      #expect(database.homeToken == before.0 && !database.isCopy)
      #expect(try database.stateHash() == before.1 && database.clock() == before.2)
      #expect(try database.verify().problems.isEmpty)
      try database.write([.increment(PathKey("m").path, .int(1))])
      #expect(try database.ownPosition()?.log == before.3)
    }
    #expect(try shrink().after <= sizes.before)
    try opened { #expect(!$0.isCopy && $0.homeToken == before.0) }
  }

  @Test func `a home that is open is left alone`() throws {
    try opened { database in
      #expect(error { try shrink() }?.code == .unavailable)
      try database.write([.increment(PathKey("m").path, .int(1))])
      #expect(try database.verify().problems.isEmpty)
    }
  }

  @Test func `a copy stays a copy, and what a crash left is cleared away`() throws {
    let copy = "\(fleet.folder.path)/copy"
    try fleet.folder.copy(home, to: copy)
    try FileManager.default.createDirectory(atPath: "\(copy)/data.new", withIntermediateDirectories: false)
    try Data([1]).write(to: URL(fileURLWithPath: "\(copy)/data.new/data.mdb"))
    let sizes = try Database.shrink(at: copy, environment: environment)
    #expect(sizes.after < sizes.before)
    let database = try Database.open(at: copy, environment: environment, options: Fleet.options)
    defer { database.close() }
    #expect(database.isCopy)
    #expect(try database.verify().problems.isEmpty)
  }

  @Test func `an older state stays one`() throws {
    let older = "\(fleet.folder.path)/older"
    try fleet.folder.copy(home, to: older)
    try opened { database in try database.write([.increment(PathKey("m").path, .int(1))]) }
    let wake = try String(contentsOfFile: "\(home)/wake", encoding: .utf8)
    try fleet.folder.overwrite(home, with: older)
    try wake.write(toFile: "\(home)/wake", atomically: false, encoding: .utf8)
    _ = try shrink()
    try opened { #expect($0.isCopy) }
  }

  @Test func `what was put back from before is recognised, though it is in the file of then`() throws {
    let kept = "\(fleet.folder.path)/kept"
    let path = PathKey("m").path
    // The same file under another name, which goes on as it is now.
    try FileManager.default.linkItem(atPath: file, toPath: kept)
    _ = try shrink()
    let log = try opened { database in
      try database.write([.increment(path, .int(1))])
      return try database.ownPosition()?.log
    }
    try FileSystem.rename(kept, to: file)
    try opened { database in
      #expect(database.isCopy)
      try database.write([.increment(path, .int(1))])
      #expect(try database.ownPosition()?.log != log)
    }
  }

  @Test func `an older state that is made smaller twice stays one`() throws {
    let older = "\(fleet.folder.path)/older"
    try fleet.folder.copy(home, to: older)
    let log = try opened { database in
      for _ in 0..<3 { try database.write([.increment(PathKey("m").path, .int(1))]) }
      return try database.ownPosition()?.log
    }
    let wake = try String(contentsOfFile: "\(home)/wake", encoding: .utf8)
    try fleet.folder.overwrite(home, with: older)
    try wake.write(toFile: "\(home)/wake", atomically: false, encoding: .utf8)
    for _ in 0..<2 { _ = try shrink() }
    try opened { database in
      #expect(database.isCopy)
      try database.write([.increment(PathKey("m").path, .int(1))])
      #expect(try database.ownPosition()?.log != log)
    }
  }

  @Test func `commits are counted on, by any number, and what is written then is right`() throws {
    let folder = try TemporaryFolder()
    let data = "\(folder.path)/data.mdb"
    for round in 0..<6 {
      var last: UInt64 = 0
      do {
        let store = try folder.openStore()
        try store.write { try $0.put(.run, [9], [UInt8](repeating: 1, count: 1 << 20)) }
        for _ in 0...round { try store.write { try $0.put(.meta, [1], [UInt8(round)]) } }
        try store.write { rows in
          try rows.delete(.run, [9])
          last = rows.identifier
        }
      }
      var written: UInt64 = 0
      let sizes = try Store.shrink(folder.path) { rows, files in
        #expect(files.last == last && files.new != files.old)
        written = rows.identifier
        try rows.put(.meta, [2], [UInt8(round)])
      }
      #expect(sizes.after < sizes.before && written > last && written.isMultiple(of: 2))
      #expect(try FileManager.default.attributesOfItem(atPath: data)[.posixPermissions] as? Int == 0o600)
      for _ in 0..<3 {
        let store = try folder.openStore()
        #expect(try store.read { $0.identifier } == written)
        for index in 0..<100 {
          try store.write { try $0.put(.log, numberKey(index), [UInt8](repeating: 2, count: 300)) }
          if index.isMultiple(of: 3) { _ = try store.write { try $0.delete(.log, numberKey(index / 2)) } }
        }
        written += 134
        #expect(
          try store.read { [$0.identifier == written, try $0.get(.meta, [2]) == [UInt8(round)]] } == [true, true])
      }
      #expect(try SalvageFile(data).problems(maximumBytes: .max).isEmpty)
    }
  }

  @Test func `a file with a damaged page is not written anew`() throws {
    let whole = try FileSystem.readFile(file, maximumBytes: 64 << 20)
    let used = try #require(try SalvageFile(file).metas.first?.tables.root)
    var damaged = whole
    damaged.replaceSubrange(Int(used) * 4_096..<Int(used + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
    try Data(damaged).write(to: URL(fileURLWithPath: file))
    #expect(error { try shrink() }?.code == .damaged)
    #expect(try FileSystem.readFile(file, maximumBytes: 64 << 20) == damaged)
    #expect(!FileManager.default.fileExists(atPath: "\(home)/data.new"))
  }
}
