import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Clocks that are wrong, and clocks that are pushed (docs/museum.md).
@Suite struct ClockMuseumTests {
  @Test func `a device whose clock is an hour off syncs like any other, and people are told whose it is`() async throws
  {
    let homes = try TestHomes()
    let right = try homes.make("right")
    var environment = OfflineTree.Environment.system
    environment.wallClock = { OfflineTree.Environment.system.wallClock() + 3_600_000 }
    let wrong = try homes.make("wrong", environment: environment)
    try Museum.increment(2, on: right)
    try Museum.increment(3, on: wrong)
    let replicators = [right, wrong].map { Replicator(database: $0) }
    for replicator in replicators { try replicator.addRemote(.folder(path: homes.shared)) }
    for _ in 0..<2 {
      for replicator in replicators { #expect(try await replicator.syncOnce().allSatisfy { $0.error == nil }) }
    }
    try expectEqual([right, wrong])
    #expect(try Museum.count(of: right) == .int(5))
    let peer = try #require(try replicators[0].status().remotes.first?.peers.first)
    #expect(peer.identity.name == "wrong")
    #expect(abs((peer.skew ?? 0) - 3_600_000) < 600_000)
  }

  @Test func `a stamp from the far future decides nothing that came after it`() throws {
    let fleet = try Fleet(3, seed: 9, addOnlySets: [], flags: [])
    fleet.members[1].clock.advance(by: 40 * 365 * 86_400_000)
    try Museum.set("title", .string("from the future"), on: fleet[1])
    try fleet.meetAll()
    #expect(try Museum.scalar("title", of: fleet[0]) == .string("from the future"))
    try Museum.set("title", .string("from today"), on: fleet[0])
    try fleet.meetAll()
    for index in 0..<3 {
      #expect(try Museum.scalar("title", of: fleet[index]) == .string("from today"))
      #expect(try fleet[index].read { try $0.status() }.voidCount == 0)
    }
  }

  @Test func `a clock whose counter is full goes on with the next millisecond`() throws {
    let space = try ModelSpace(devices: ["a", "b"], foundedByFirst: true)
    var log = space.logs[1]
    let change = try log.write([.put("title", .string("full"))], stamp: .at(5_000, .max))
    let listener = try Listener(space, isMember: true)
    listener.clock.now = 5_000
    try listener.receive(space.introductions + [change])
    try Museum.set("title", .string("after"), on: listener.database)
    #expect(try Museum.scalar("title", of: listener.database) == .string("after"))
    let own = try #require(try listener.database.read { try $0.logs() }.first { $0.isOwn })
    #expect(own.lastStamp == 5_001)
    #expect(try listener.database.read { try $0.status() }.voidCount == 0)
  }

  @Test func `a peer that pushes its clock to the end moves nobody else's`() throws {
    let space = try ModelSpace(devices: ["a", "b"], foundedByFirst: true)
    var log = space.logs[1]
    let lie = try log.write([.put("title", .string("for ever"))], stamp: .at(.max, .max))
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions + [lie])
    #expect(try listener.database.read { try $0.status() }.voids.map(\.seq) == [lie.seq])
    try Museum.set("title", .string("mine"), on: listener.database)
    #expect(try Museum.scalar("title", of: listener.database) == .string("mine"))
    let own = try #require(try listener.database.read { try $0.logs() }.first { $0.isOwn })
    #expect(own.lastStamp < 1 << 40)
  }
}
