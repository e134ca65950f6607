import Foundation
import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// The file of a backup: what comes out is what went in, and damage is found.
@Suite struct BackupTests {
  private func fleet(_ seed: UInt64, _ count: Int = 2, writes: Int = 20) throws -> Fleet {
    let fleet = try Fleet(count, seed: seed)
    try fleet.meetAll()
    for _ in 0..<writes {
      try fleet.writeRandomly(fleet.pick())
      if fleet.random.chance(30) { try fleet.meetAll() }
    }
    return fleet
  }

  @Test(arguments: Seeds.scaled(10))
  func `what was backed up is restored, and goes on from there`(_ seed: UInt64) throws {
    let fleet = try fleet(seed, 3)
    let backup = TestBackup(fleet)
    for _ in 0..<4 {
      let report = try backup.append()
      #expect(report.cutBytes == 0)
      for _ in 0..<fleet.random.pick([0, 1, 5]) { try fleet.writeRandomly(0) }
      if fleet.random.chance(50) { try fleet.meetAll() }
    }
    try backup.append()
    let (database, restored) = try backup.restore("restored")
    defer { database.close() }
    #expect(restored.isProven && restored.waiting == 0 && restored.duplicates == 0)
    try backup.expectSame(database, fleet[0])
  }

  @Test func `a second run adds only what is new, and never rewrites`() throws {
    let fleet = try fleet(1)
    let backup = TestBackup(fleet)
    let first = try backup.append()
    #expect(first.changes > 10 && first.allChanges == UInt64(first.changes))
    let bytes = try backup.bytes()
    #expect(UInt64(bytes.count) == first.byteCount && first.addedBytes < first.byteCount)
    #expect(try backup.append() == Backup.Report(allChanges: first.allChanges, byteCount: first.byteCount))
    #expect(try backup.bytes() == bytes)
    try fleet[0].write { try $0.increment(PathKey("a").path, by: .int(1)) }
    let second = try backup.append()
    #expect(second.changes == 1 && second.allChanges == first.allChanges + 1)
    #expect(try backup.bytes().prefix(bytes.count).elementsEqual(bytes))
  }

  @Test func `a run that is broken off at any byte leaves the backup of before, and is done again`() throws {
    let fleet = try fleet(2)
    let backup = TestBackup(fleet)
    let before = try backup.append().allChanges
    let old = try backup.bytes()
    for _ in 0..<3 { try fleet[0].write { try $0.increment(PathKey("a").path, by: .int(1)) } }
    try backup.append()
    let new = try backup.bytes()
    for count in old.count..<new.count {
      try backup.put(Array(new[..<count]))
      #expect(try backup.check().changes == before, "\(count)")
      if (count - old.count).isMultiple(of: 97) {
        let report = try backup.append()
        #expect(report.cutBytes == UInt64(count - old.count) && report.changes == 3, "\(count)")
        #expect(try backup.check().changes == before + 3)
      }
    }
    // What a file system may leave behind instead of what was written.
    try backup.put(old + [UInt8](repeating: 0, count: new.count - old.count))
    #expect(try backup.append().changes == 3)
    // A first run that was broken off.
    for count in stride(from: 0, to: old.count, by: 41) {
      try backup.put(Array(old[..<count]))
      #expect { try backup.check() } throws: { ($0 as? TreeError)?.code == .damaged }
      if count < 88 {
        #expect(try Backup.kind(of: backup.path) == nil, "nothing in it, so that its secret may be another")
      }
      #expect(try backup.append().allChanges == before + 3)
    }
  }

  @Test func `a flipped bit anywhere is found, or costs the last run`() throws {
    let fleet = try fleet(3, writes: 6)
    let backup = TestBackup(fleet)
    let first = try backup.append().allChanges
    let old = try backup.bytes().count
    try fleet[0].write { try $0.increment(PathKey("a").path, by: .int(1)) }
    try backup.append()
    let whole = try backup.bytes()
    for index in whole.indices {
      var bytes = whole
      bytes[index] ^= 1 << UInt8(index % 8)
      try backup.put(bytes)
      do {
        let summary = try backup.check()
        #expect(index >= old && summary.changes == first, "\(index)")
      } catch {
        #expect([.damaged, .wrongPassword, .invalidArgument, .unsupportedVersion].contains(error.code), "\(error)")
      }
    }
  }

  @Test func `what stands behind damage is not cut off, and can be restored`() throws {
    let fleet = try fleet(4, 1, writes: 3)
    let backup = TestBackup(fleet)
    try backup.append()
    let start = try backup.bytes().count
    try fleet[0].write { try $0.increment(PathKey("a").path, by: .int(1)) }
    try backup.append()
    try fleet[0].write { try $0.setValue(NewValue(Scalar.string("last")), at: PathKey("b").path) }
    try backup.append()
    var bytes = try backup.bytes()
    // In the head of the second run's first section: nothing leads on from there.
    bytes[start + 1] ^= 1
    try backup.put(bytes)
    #expect(throws: TreeError.self) { try backup.append() }
    #expect(try backup.bytes() == bytes, "it stays as it is")
    #expect { try backup.restore("strict") } throws: { ($0 as? TreeError)?.code == .damaged }
    let (database, restored) = try backup.restore("patient", isPatient: true)
    defer { database.close() }
    #expect(restored.damages == 1 && restored.waiting == 1 && !restored.isProven)
    try backup.exchange(database, fleet[0])
    try backup.expectSame(database, fleet[0])
  }

  @Test func `who has another password or code learns nothing, and a backup is nobody else's`() throws {
    let fleet = try fleet(5)
    let backup = TestBackup(fleet)
    try backup.append()
    var (right, wrong) = (Array("correct horse battery".utf8), Array("correct horse battera".utf8))
    let (password, guess) = (try Password(&right), try Password(&wrong))
    let other = BackupSecret.code(RecoveryCode(for: .backup))
    #expect { try Backup.check(backup.path, other) } throws: { ($0 as? TreeError)?.code == .wrongPassword }
    #expect { try Backup.check(backup.path, .password(password)) } throws: {
      ($0 as? TreeError)?.code == .invalidArgument
    }
    let sealed = "\(fleet.folder.path)/sealed"
    _ = try Backup.append(fleet[0], to: sealed, sealedBy: .password(password), profile: .smallest)
    #expect(try Backup.kind(of: sealed) == .password && Backup.kind(of: backup.path) == .code)
    #expect(try Backup.check(sealed, .password(password)).deviceName == "d0")
    #expect { try Backup.check(sealed, .password(guess)) } throws: { ($0 as? TreeError)?.code == .wrongPassword }
    #expect { try backup.append(1) } throws: { ($0 as? TreeError)?.code == .refused }
    #expect(try Backup.kind(of: "\(fleet.folder.path)/none") == nil)
    try FileSystem.writeFileDurably("\(fleet.folder.path)/text", Array("something else that is long enough".utf8))
    #expect(throws: TreeError.self) {
      _ = try Backup.append(fleet[0], to: "\(fleet.folder.path)/text", sealedBy: other, profile: .smallest)
    }
    #expect(try FileSystem.readFile("\(fleet.folder.path)/text", maximumBytes: 100).count == 34)
  }

  @Test func `no key of a device or of an epoch is in a backup, opened or not`() throws {
    let fleet = try fleet(6)
    let backup = TestBackup(fleet)
    try backup.append()
    var contents = try backup.bytes()
    let reader = try BackupReader(try BackupFile(backup.path, isWritten: false), backup.secret)
    _ = try reader.forEachSection(isPatient: false) { kind, content, _ in
      contents +=
        kind == .changes ? (try? Zstd.decompress(content[4...], byteCount: Self.length(content))) ?? [] : content
    }
    let file = try FileSystem.readFile("\(fleet.members[0].home)/device.key", maximumBytes: 4_096)
    for start in [8, 40, 72] { #expect(!contents.contains(Array(file[start..<start + 32])), "\(start)") }
    #expect(contents.contains(fleet[0].deviceKey.bytes), "the public half is there, so the look finds keys")
  }

  private static func length(_ content: [UInt8]) -> Int {
    content[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  @Test func `what is written meanwhile is in it as a whole or not at all`() throws {
    let fleet = try fleet(7, 3)
    let backup = TestBackup(fleet)
    _ = try Backup.append(fleet[0], to: backup.path, sealedBy: backup.secret, profile: .smallest) { count in
      guard count < 200 else { return }
      for index in 0..<3 { _ = try? fleet.writeRandomly(index) }
      try? fleet.meetAll()
    }
    let (database, restored) = try backup.restore("restored")
    defer { database.close() }
    #expect(restored.waiting == 0 && restored.applied > 0)
    try backup.exchange(database, fleet[0])
    try backup.expectSame(database, fleet[0])
  }

  @Test func `what waits for a newer version goes along, once`() throws {
    let fleet = try fleet(8)
    try fleet.meetAll()
    let tip = try #require(try fleet[1].writtenPosition())
    let body = RawChange(stamp: Stamp(milliseconds: 9_000_000, counter: 0), rawOperations: [(kind: 0x7F, body: [1])])
      .body
    var run = ChangeRun(log: tip.log, first: tip.seq + 1, hashBefore: tip.hash, bodies: [body[...]])
    var head = ByteWriter()
    head.append(tip.log)
    head.u64(run.last)
    head.append(run.head)
    run.signature = fleet[1].sign(.head, head.bytes)
    _ = try fleet[0].receive([run], keepBlocked: true)
    #expect(try fleet[0].read { try $0.status().waitsForUpdate })
    let backup = TestBackup(fleet)
    let first = try backup.append()
    #expect(try backup.append().addedBytes == 0)
    try fleet[0].write { try $0.increment(PathKey("a").path, by: .int(1)) }
    #expect(try backup.append().changes == 1)
    let (database, restored) = try backup.restore("restored")
    defer { database.close() }
    #expect(restored.waiting == 1 && restored.applied == first.changes, "one that waits, and one written since")
  }

  @Test func `a backup of the first version opens for ever`() throws {
    let folder = Fixtures.folder.appendingPathComponent("backup")
    let text = try FileSystem.readFile(folder.appendingPathComponent("version-1.code").path, maximumBytes: 100)
    let secret = BackupSecret.code(try RecoveryCode(parsing: String(decoding: text, as: UTF8.self), for: .backup))
    let path = folder.appendingPathComponent("version-1.backup").path
    #expect(try Backup.check(path, secret).changes == 6)
    let place = try TemporaryFolder()
    let (database, restoring) = try Backup.open(
      "\(place.path)/home", for: path, secret, as: .nobody, options: Fleet.options)
    defer { database.close() }
    let restored = try restoring.run(into: database)
    #expect(restored.applied == 6 && restored.isProven && restored.files.map(\.name) == ["user"])
    #expect(
      try database.clock().digest.description == "59e2db8f7e64c8d54376ead1175ec29ee1adeb7c7514a8f5148d5272ae1712a0")
    #expect(try database.stateHash().description == "70c3e4fe95844670d66bd325770fd77a")
  }
}
