import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// What becomes of a home that is restored: nothing counts twice, and nothing gets a number twice.
@Suite struct RestoreTests {
  private static let counter = PathKey("a").path

  private func increment(_ database: Database, _ times: Int = 1) throws {
    for _ in 0..<times { try database.write { try $0.increment(Self.counter, by: .int(1)) } }
  }

  @Test func `the same device begins a new log, and fetches what it had published since`() throws {
    let fleet = try Fleet(2, seed: 1)
    try fleet.meetAll()
    let backup = TestBackup(fleet)
    try increment(fleet[0], 3)
    try backup.append()
    try increment(fleet[0], 2)
    try fleet.meetAll()
    let (database, restored) = try backup.restore("again", as: backup.keys())
    defer { database.close() }
    #expect(restored.isProven && database.deviceKey == fleet[0].deviceKey)
    #expect(database.homeToken != fleet[0].homeToken)
    // It writes before it has heard of what it had written.
    try increment(database)
    try backup.exchange(database, fleet[1])
    try backup.expectSame(database, fleet[1])
    #expect(try database.number(at: "a") == 6)
    #expect(try database.read { try $0.forkProofs() }.isEmpty)
    #expect(try database.read { try $0.logs() }.filter { $0.deviceKey == database.deviceKey }.count == 2)
    // The old home was not lost after all, and goes on.
    try increment(fleet[0])
    try increment(database)
    for _ in 0..<2 {
      try backup.exchange(fleet[0], fleet[1])
      try backup.exchange(database, fleet[1])
    }
    try backup.expectSame(database, fleet[0])
    #expect(try database.number(at: "a") == 8)
    #expect(try database.read { try $0.forkProofs() }.isEmpty)
  }

  @Test func `what nobody else has comes back once, though two restore it`() throws {
    let fleet = try Fleet(2, seed: 2)
    try fleet.meetAll()
    let joke = try Path("open/j1")
    try fleet[1].write { try $0.setValue(NewValue(json: Array(#"{"votes":0}"#.utf8)), at: joke) }
    try fleet.meetAll()
    let backup = TestBackup(fleet)
    for voter in 0..<20 {
      try fleet[0].write { try $0.vote(try joke.child("votes"), voter: .of("v\(voter)"), choice: 1) }
    }
    try increment(fleet[0], 10)
    try backup.append()
    // The home is gone; of two that take its place each goes on.
    let (one, _) = try backup.restore("one", as: backup.keys())
    let (two, _) = try backup.restore("two", as: backup.keys())
    defer {
      one.close()
      two.close()
    }
    #expect(one.homeToken != two.homeToken)
    for twin in [one, two] {
      try increment(twin, 5)
      try twin.write { try $0.vote(try joke.child("votes"), voter: .of("v0"), choice: 1) }
    }
    for _ in 0..<2 {
      try backup.exchange(one, fleet[1])
      try backup.exchange(two, fleet[1])
    }
    try backup.expectSame(one, fleet[1])
    try backup.expectSame(two, fleet[1])
    #expect(try fleet[1].number(at: "a") == 20 && fleet[1].number(at: "open/j1/votes") == 20)
    #expect(try fleet[1].read { try $0.forkProofs() }.isEmpty)
  }

  @Test func `a new device comes by an invite that the backup knows, or by a later one`() throws {
    let fleet = try Fleet(2, seed: 3)
    try fleet.meetAll()
    let backup = TestBackup(fleet)
    let early = try fleet[0].invite()
    try increment(fleet[0])
    try backup.append()
    let late = try fleet[0].invite()
    try fleet.meetAll()
    let (first, _) = try backup.restore("first", as: .newDevice(early, name: "first"))
    let (second, _) = try backup.restore("second", as: .newDevice(late, name: "second"))
    defer {
      first.close()
      second.close()
    }
    try increment(first)
    #expect(throws: TreeError.self) { try increment(second) }
    try backup.exchange(second, fleet[1])
    try increment(second)
    for _ in 0..<2 { for database in [first, second] { try backup.exchange(database, fleet[1]) } }
    try backup.expectSame(first, fleet[1])
    try backup.expectSame(second, fleet[1])
    #expect(try second.number(at: "a") == 3)
  }

  @Test func `who has neither keys nor an invite reads and writes nothing`() throws {
    let fleet = try Fleet(1, seed: 4)
    let backup = TestBackup(fleet)
    try increment(fleet[0], 2)
    try backup.append()
    let (database, _) = try backup.restore("nobody")
    defer { database.close() }
    #expect(try database.number(at: "a") == 2)
    #expect { try increment(database) } throws: { ($0 as? TreeError)?.code == .refused }
    try backup.expectSame(database, fleet[0])
  }

  @Test func `a home that exists takes in what it lacks`() throws {
    let fleet = try Fleet(2, seed: 5)
    try fleet.meetAll()
    let backup = TestBackup(fleet)
    try increment(fleet[0], 4)
    let all = try backup.append().allChanges
    let (database, restored) = try backup.restore("twice")
    #expect(restored.applied == Int(all))
    database.close()
    let again = try backup.restore("twice")
    again.database.close()
    #expect(again.restored.applied == 0 && again.restored.duplicates == Int(all))
    // A live one of another device: as if the two had met.
    let (other, merged) = try backup.restore("d1")
    #expect(merged.applied == 4 && merged.waiting == 0)
    #expect(try other.number(at: "a") == 4)
  }

  @Test func `a database that is older than its backup loses nothing by the next one`() throws {
    let fleet = try Fleet(2, seed: 6)
    try fleet.meetAll()
    let backup = TestBackup(fleet)
    try increment(fleet[0], 2)
    try backup.append()
    let (old, _) = try backup.restore("old", as: backup.keys())
    defer { old.close() }
    try increment(fleet[0], 3)
    try backup.append()
    // The older one goes on in the file of the newer one.
    try increment(old, 5)
    _ = try Backup.append(old, to: backup.path, sealedBy: backup.secret, profile: .smallest)
    let (database, restored) = try backup.restore("all")
    defer { database.close() }
    #expect(try database.number(at: "a") == 10)
    #expect(restored.waiting == 0)
  }

  @Test func `keys, invites and homes of another space or device are refused`() throws {
    let (fleet, other) = (try Fleet(2, seed: 7), try Fleet(1, seed: 8))
    try fleet.meetAll()
    let backup = TestBackup(fleet)
    try backup.append()
    for identity in [
      backup.keys(1), .sameDevice(keys: "\(other.members[0].home)/device.key"),
      .newDevice(other.invite, name: "x"),
    ] {
      #expect { try backup.restore("none", as: identity) } throws: { ($0 as? TreeError)?.code == .refused }
    }
    #expect(!FileSystem.exists("\(fleet.folder.path)/none/data/data.mdb"))
    let stranger = TestBackup(other)
    #expect {
      _ = try Backup.open(
        fleet.members[1].home, for: stranger.path, stranger.secret, as: .nobody, options: Fleet.options)
    } throws: { ($0 as? TreeError)?.code == .notFound }
    try stranger.append()
    #expect {
      _ = try Backup.open(
        fleet.members[1].home, for: stranger.path, stranger.secret, as: .nobody, options: Fleet.options)
    } throws: { ($0 as? TreeError)?.code == .refused }
  }

  @Test func `a home that exists stays who it is`() throws {
    let fleet = try Fleet(2, seed: 9)
    try fleet.meetAll()
    let backup = TestBackup(fleet)
    try increment(fleet[0])
    try backup.append()
    let later = try fleet[0].invite()
    func target(_ home: String, _ identity: Backup.Identity) throws -> Backup.Target {
      try Backup.open(
        "\(fleet.folder.path)/\(home)", for: backup.path, backup.secret, as: identity,
        environment: fleet.members[0].clock.environment, options: Fleet.options
      ).restoring.target
    }
    let (own, other) = (try fleet[0].stateHash(), try fleet[1].stateHash())
    #expect(try target("new", backup.keys()) == .made)
    #expect(try target("new", backup.keys()) == .same, "as after a restore that was broken off")
    #expect(try target("d0", backup.keys()) == .same)
    for home in ["new", "d0", "d1"] { #expect(try target(home, .nobody) == .other) }
    #expect(try target("d1", .newDevice(later, name: "x")) == .other)
    for (home, identity) in [("d1", backup.keys()), ("d0", .newDevice(later, name: "x"))] {
      #expect { try target(home, identity) } throws: { ($0 as? TreeError)?.code == .refused }
    }
    #expect(try fleet[0].stateHash() == own && fleet[1].stateHash() == other)
  }

  @Test func `what a damaged backup has not brought is counted`() throws {
    let fleet = try Fleet(1, seed: 10)
    let backup = TestBackup(fleet)
    var ends: [Int] = []
    for _ in 0..<3 {
      try increment(fleet[0], 2)
      try backup.append()
      ends.append(try backup.bytes().count)
    }
    let (sound, whole) = try backup.restore("whole")
    sound.close()
    #expect(whole.incompleteLogs == 0 && whole.isProven)
    var bytes = try backup.bytes()
    bytes[ends[0] + BackupSection.Head.byteCount] ^= 1
    try backup.put(bytes)
    let (database, restored) = try backup.restore("part", isPatient: true)
    defer { database.close() }
    #expect(restored.damages == 1 && restored.incompleteLogs == 1 && !restored.isProven)
    #expect(try database.number(at: "a") == 2)
  }
}
