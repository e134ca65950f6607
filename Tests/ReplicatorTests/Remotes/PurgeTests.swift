import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Undoing what no one else has.
@Suite struct PurgeTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws { try self.init(addOnlySets: []) }

  private init(addOnlySets: [Genesis.AddOnlySet]) throws {
    (homes, first, second) = try TestHomes.two(addOnlySets: addOnlySets)
  }

  private func set(_ path: String, _ json: String, on database: Database) throws {
    let (path, value) = (try Path(path), try NewValue(json: json))
    try database.write { try $0.setValue(value, at: path) }
  }

  /// Until both know what the other has.
  private func meet() async throws {
    let (one, two) = (Replicator(database: first), Replicator(database: second))
    for replicator in [one, two] where try replicator.remotes().isEmpty {
      try replicator.addRemote(.folder(path: homes.shared))
    }
    for replicator in [one, two, one, two] { _ = try await replicator.syncOnce() }
  }

  private func value(_ database: Database) throws -> Value { try database.read { try $0.value(at: .root) } }

  @Test func `what nobody has is undone, and what others have stays`() async throws {
    try set("a", #"{"b": 1, "c": {"d": "old"}, "n": 10}"#, on: first)
    try set("leaf", "7", on: first)
    try set("p", #"{".value": 1, ".priority": 2}"#, on: first)
    try await meet()
    let before = try value(first)
    try set("a/b", "2", on: first)
    try set("a/c", "null", on: first)
    try set("a/e", #"{"f": 1}"#, on: first)
    try set("leaf/below", "1", on: first)
    try set("a/n", #"{".sv": {"increment": 5}}"#, on: first)
    try set("fresh", #"{".sv": {"increment": 5}}"#, on: first)
    try await first.write { try $0.setPriority(.int(3), at: try Path("p")) }
    // Of what the other one does meanwhile nothing is lost.
    try set("a/n", #"{".sv": {"increment": 100}}"#, on: second)
    #expect(try await first.purgeOutstandingWrites() == [])
    #expect(try value(first) == before)
    #expect(try await first.reference(withPath: "p").getData().priority as? Int == 2)
    try await meet()
    try expectEqual([first, second])
    #expect(try value(second)["a"]["n"] == 110)
    #expect(try value(second)["fresh"] == .null)
    // Everybody has the change that undid: nothing is undone twice.
    let clock = try first.clock()
    #expect(try await first.purgeOutstandingWrites() == [])
    #expect(try first.clock() == clock)
  }

  @Test func `undoing twice before anybody has it undoes nothing more`() async throws {
    try set("x", "1", on: first)
    try await meet()
    try set("x", "2", on: first)
    _ = try await first.purgeOutstandingWrites()
    _ = try await first.purgeOutstandingWrites()
    #expect(try value(first)["x"] == 1)
  }

  @Test func `a vote becomes the voter's choice before, also where the number is the same`() async throws {
    let poll = try Path("a/poll")
    func vote(_ voter: String, _ choice: Int, on database: Database) throws {
      let voter = try Key(voter)
      try database.write { try $0.vote(poll, voter: voter, choice: choice) }
    }
    try vote("ada", 1, on: first)
    try vote("eve", 1, on: first)
    try await meet()
    try vote("ada", -1, on: first)
    try vote("bob", 1, on: first)
    try set("a/poll", #"{".sv": {"increment": 1}}"#, on: first)
    try await first.write { try $0.setPriority(.int(3), at: try Path("a")) }
    #expect(try value(first)["a"]["poll"] == 2)
    try vote("eve", -1, on: second)
    #expect(try await first.purgeOutstandingWrites() == [])
    #expect(try value(first)["a"]["poll"] == 2)
    try await meet()
    try expectEqual([first, second])
    #expect(try value(first)["a"]["poll"] == 0)
    // Each voter's choice is there by itself: who takes one back takes back no more.
    try vote("ada", 0, on: second)
    #expect(try value(second)["a"]["poll"] == -1)
  }

  @Test func `what was added to an add-only set stays and is named, and what was counted there goes`() async throws {
    let open = Genesis.AddOnlySet(path: try Path("open"), keys: .open)
    let purge = try PurgeTests(addOnlySets: [open])
    let (first, second) = (purge.first, purge.second)
    // The homes go with the last that holds them.
    defer { withExtendedLifetime(purge) {} }
    try set("open/a", #"{"text": "a", "votes": 0}"#, on: first)
    try await purge.meet()
    try set("open/b", #"{"text": "b", "votes": 0}"#, on: first)
    try set("open/a/votes", #"{".sv": {"increment": 5}}"#, on: first)
    let voter = try Key("ada")
    try await first.write { try $0.vote(try Path("open/a/votes"), voter: voter, choice: 1) }
    #expect(try await first.purgeOutstandingWrites() == [try Path("open/b")])
    #expect(try value(first)["open"] == ["a": ["text": "a", "votes": 0], "b": ["text": "b", "votes": 0]])
    try await purge.meet()
    try expectEqual([first, second])
    #expect(try value(second)["open"]["b"]["text"] == "b")
  }
}
