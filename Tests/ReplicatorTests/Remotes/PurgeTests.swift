import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Undoing what no one else has.
@Suite struct PurgeTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws { (homes, first, second) = try TestHomes.two() }

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
}
