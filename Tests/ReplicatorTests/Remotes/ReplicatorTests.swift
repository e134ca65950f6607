import Foundation
import OfflineTree
import Testing

@testable import Replicator

@Suite struct ReplicatorTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws { (homes, first, second) = try TestHomes.two() }

  @Test(arguments: [
    "folder /a b/c", "folder relative", "tcp host:1", "tcp 127.0.0.1:65535", "tcp [::1]:4321",
  ])
  func `an address is read back as it is written`(text: String) throws {
    #expect(try RemoteAddress(parsing: text).description == text)
  }

  @Test(arguments: [
    "", "folder", "folder ", "ftp x", "tcp host", "tcp host:", "tcp :1", "tcp host:0", "tcp host:65536", "tcp host:1x",
    "tcp ::1:5", "tcp host:-1",
  ])
  func `what is no address is refused`(text: String) {
    let error = #expect(throws: TreeError.self) { try RemoteAddress(parsing: text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.advice.isEmpty == false)
  }

  @Test func `composed and decomposed forms of a path are two remotes`() {
    #expect(RemoteAddress.folder(path: "/\u{E9}") != RemoteAddress.folder(path: "/e\u{301}"))
  }

  @Test func `remotes are kept in the order in which they were added`() throws {
    let replicator = Replicator(database: first)
    #expect(try replicator.remotes().isEmpty)
    let tcp = try RemoteAddress(parsing: "tcp 127.0.0.1:4")
    try replicator.addRemote(tcp)
    let folder = try replicator.addRemote(.folder(path: homes.shared))
    try replicator.addRemote(.folder(path: "\(homes.shared)/../shared"))
    #expect(try Replicator(database: first).remotes() == [tcp, folder])
    try replicator.removeRemote(.folder(path: homes.shared))
    #expect(try replicator.remotes() == [tcp])
    let error = #expect(throws: TreeError.self) { try replicator.removeRemote(folder) }
    #expect(error?.code == .notFound)
  }

  @Test func `a folder that cannot be shared is refused with the reason`() throws {
    let replicator = Replicator(database: first)
    func code(_ path: String) -> TreeError.Code? {
      #expect(throws: TreeError.self) { try replicator.addRemote(.folder(path: path)) }?.code
    }
    try write([1], "\(homes.directory)/file")
    #expect(code("\(homes.directory)/nowhere") == .notFound)
    #expect(code("\(homes.directory)/file") == .invalidArgument)
    #expect(code(homes.directory) == .invalidArgument)
    #expect(code(first.home) == .invalidArgument)
    #expect(try replicator.remotes().isEmpty)
  }

  @Test func `what is pending and where it is safe follows what others acknowledge`() async throws {
    let (one, two) = (Replicator(database: first), Replicator(database: second))
    try one.addRemote(.folder(path: homes.shared))
    try two.addRemote(.folder(path: homes.shared))
    try post("a", 4, on: first)
    let (all, own) = (try changeCount(first), Int(try #require(try first.ownPosition()).seq) + 1)
    #expect(try await one.syncOnce().map(\.report.sent) == [all])
    #expect(try one.status().remotes.map(\.pending) == [own])
    #expect(try one.status().safeOn == 0)
    _ = try await two.syncOnce()
    _ = try await one.syncOnce()
    var status = try one.status()
    #expect(status.remotes.map(\.pending) == [0])
    #expect(status.safeOn == 1)
    #expect(status.remotes.first?.peers.map(\.hasAllOfOurs) == [true])
    #expect(status.remotes.first?.problems == [])
    try post("b", 2, on: first)
    status = try one.status()
    #expect(status.remotes.map(\.pending) == [2])
    #expect(status.safeOn == 0)
  }

  @Test func `nothing is safe on a device that was removed`() async throws {
    let (one, two) = (Replicator(database: first), Replicator(database: second))
    for replicator in [one, two] { try replicator.addRemote(.folder(path: homes.shared)) }
    for replicator in [one, two, one] { _ = try await replicator.syncOnce() }
    #expect(try one.status().remotes.map(\.peers.count) == [1])
    #expect(try one.status().safeOn == 1)
    try first.removeMembers([second.deviceKey])
    for replicator in [one, two, one] { _ = try await replicator.syncOnce() }
    #expect(try one.status().remotes.map(\.peers.count) == [0])
    #expect(try one.status().safeOn == 0)
  }

  @Test(arguments: [3_600_000, -3_600_000] as [Int64])
  func `a device whose clock is off is named, and nothing else changes`(skew: Int64) async throws {
    var environment = OfflineTree.Environment.system
    environment.wallClock = { OfflineTree.Environment.system.wallClock() + skew }
    let wrong = try homes.make("wrong", environment: environment)
    let (one, two) = (Replicator(database: first), Replicator(database: wrong))
    try one.addRemote(.folder(path: homes.shared))
    try two.addRemote(.folder(path: homes.shared))
    _ = try await one.syncOnce()
    _ = try await two.syncOnce()
    _ = try await one.syncOnce()
    let found = try #require(try one.status().remotes.first?.peers.first?.skew)
    #expect(abs(found - skew) < 600_000)
    #expect(try one.status().safeOn == 1)
    try expectEqual([first, wrong])
  }

  @Test func `one remote that fails does not keep the others`() async throws {
    let gone = try homes.folder("gone")
    let replicator = Replicator(database: first)
    try replicator.addRemote(.folder(path: gone))
    try replicator.addRemote(.folder(path: homes.shared))
    try FileSystem.remove(gone)
    let results = try await replicator.syncOnce()
    #expect(results.map(\.error?.code) == [.notFound, nil])
    #expect(try results.last?.report.sent == changeCount(first))
    #expect(try replicator.status().remotes.map(\.problems.count) == [1, 0])
  }

  @Test func `what a later folder brings is passed on to the one before`() async throws {
    let third = try homes.make("third")
    let other = try homes.folder("other")
    let replicator = Replicator(database: second)
    try replicator.addRemote(.folder(path: homes.shared))
    try replicator.addRemote(.folder(path: other))
    try post("a", on: first)
    try sync(first, other)
    _ = try await replicator.syncOnce()
    try sync(third, homes.shared)
    try expectEqual([first, second, third])
  }

  @Test(.timeLimit(.minutes(60)))
  func `homes that run see each other's changes through a folder`() async throws {
    for database in [first, second] { try Replicator(database: database).addRemote(.folder(path: homes.shared)) }
    let runs = [first, second].map { database in
      Task { try await Replicator(database: database).run() }
    }
    try await until { try first.clock() == second.clock() }
    try post("a", on: first)
    try post("b", on: second)
    try await until { try first.clock() == second.clock() }
    try await until { try Replicator(database: first).status().safeOn == 1 }
    for run in runs { run.cancel() }
    for run in runs { try await run.value }
    try expectEqual([first, second])
  }

  @Test(.timeLimit(.minutes(60)))
  func `a remote that is added while a home runs is taken up`() async throws {
    let run = Task { [first] in try await Replicator(database: first).run() }
    try Replicator(database: first).addRemote(.folder(path: homes.shared))
    try await until { try !segments(below: homes.shared).isEmpty }
    run.cancel()
    try await run.value
  }

  private func until(_ condition: () throws -> Bool) async throws {
    while try !condition() { try await Task.sleep(for: .milliseconds(20)) }
  }
}
