import OfflineTree
import TestSupport
import Testing

/// A damaged home comes back with what only it had.
@Suite struct RepairTests {
  private let path = PathKey("n").path

  private func file(_ fleet: Fleet, _ index: Int) -> String { "\(fleet.members[index].home)/data/data.mdb" }

  private func bytes(_ fleet: Fleet, _ index: Int) throws -> [UInt8] {
    try FileSystem.readFile(file(fleet, index), maximumBytes: 64 << 20)
  }

  /// Two devices with a common past, and changes of each that the other lacks.
  private func makeFleet(_ seed: UInt64) throws -> Fleet {
    let fleet = try Fleet(2, seed: seed)
    for _ in 0..<15 {
      try fleet.writeRandomly(0)
      try fleet.writeRandomly(1)
      if fleet.random.chance(20) { try fleet.send(from: 0, to: 1) }
      if fleet.random.chance(20) { try fleet.send(from: 1, to: 0) }
    }
    for _ in 0..<3 { try fleet[1].write([.increment(path, .int(1))]) }
    return fleet
  }

  private func own(_ database: Database) throws -> Set<Bytes32> {
    let logs = Set(try database.read { try $0.logs() }.filter(\.isOwn).map(\.introduced))
    return Set(try Fleet.runs(of: database).filter { logs.contains($0.log) }.flatMap(\.hashes))
  }

  private func overwrite(_ fleet: Fleet, _ index: Int, _ bytes: [UInt8]) throws {
    try FileSystem.writeFileDurably(file(fleet, index), bytes)
  }

  @Test(arguments: UInt64(1)...4) func `with any page zeroed, all of its own comes back that is not on that page`(
    seed: UInt64
  ) throws {
    let fleet = try makeFleet(seed)
    let before = try own(fleet[1])
    fleet.close(1)
    let sound = try bytes(fleet, 1)
    var (repaired, whole) = (0, 0)
    for page in 0..<sound.count / 4_096 {
      var damaged = sound
      damaged.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
      try overwrite(fleet, 1, damaged)
      if try Database.damage(at: fleet.members[1].home).isEmpty { continue }
      let report = try Database.repair(at: fleet.members[1].home, environment: fleet.members[1].clock.environment)
      repaired += 1
      try fleet.reopen(1)
      #expect(try fleet[1].verify().isSound, "page \(page)")
      let found = try own(fleet[1])
      #expect(found.isSubset(of: before), "page \(page)")
      #expect(found.count + report.ownWaiting + report.ownLost >= before.count, "page \(page)")
      if report.ownLost == 0 { whole += 1 }
      fleet.close(1)
    }
    #expect(repaired > 10 && whole > repaired / 2, "\(whole) of \(repaired)")
  }

  /// Zeroes the pages of the list of free pages and of the tree: what is there is worked out again from changes.
  private func damageTree(_ fleet: Fleet, _ index: Int) throws {
    let sound = try bytes(fleet, index)
    for page in 2..<sound.count / 4_096 {
      var damaged = sound
      damaged[page * 4_096 + 12] ^= 0xFF
      try overwrite(fleet, index, damaged)
      if try Database.damage(at: fleet.members[index].home).contains(where: { $0.contains("the table tree") }) {
        return
      }
    }
    Issue.record("no page of the tree was found")
  }

  @Test(arguments: Seeds.scaled(10))
  func `what was pending goes out as it was, once, and the next write begins a new log`(
    seed: UInt64
  ) throws {
    let fleet = try makeFleet(seed)
    let (before, position) = (try own(fleet[1]), try fleet[1].ownPosition())
    fleet.close(1)
    try damageTree(fleet, 1)
    let report = try Database.repair(at: fleet.members[1].home, environment: fleet.members[1].clock.environment)
    #expect(report.ownLost == 0 && report.ownLeftOver == 0 && report.ownWaiting == 0)
    try fleet.reopen(1)
    #expect(fleet[1].isCopy)
    #expect(try own(fleet[1]) == before)
    try fleet[1].write([.increment(path, .int(10))])
    #expect(try fleet[1].ownPosition()?.log != position?.log)
    try fleet.meetAll()
    try fleet.expectConverged()
    #expect(Set(try Fleet.runs(of: fleet[0]).flatMap(\.hashes)).isSuperset(of: before))
    let forks = try fleet[0].read { try $0.status(limit: 1).forks }
    #expect(forks == [])
    let kept = try FileSystem.list(fleet.members[1].home).filter { $0.hasPrefix("data.damaged-") }
    #expect(kept == ["data.damaged-1"])
  }

  @Test func `without its keys a device's pending changes are written down for people`() throws {
    let fleet = try makeFleet(5)
    let log = try #require(try fleet[1].ownPosition()?.log)
    try fleet[1].write([.set(PathKey("only/here").path, NewValue(Scalar.string("a text of mine")))])
    fleet.close(1)
    let home = fleet.members[1].home
    try FileSystem.remove("\(home)/device.key")
    let error = #expect(throws: TreeError.self) { try Database.repair(at: home) }
    #expect(error?.code == .notFound && error?.context.contains("changes.json") == true)
    let text = String(decoding: try FileSystem.readFile("\(home)/changes.json", maximumBytes: 1 << 20), as: UTF8.self)
    #expect(text.contains("a text of mine") && text.contains("only/here"))
    // What somebody is known to have need not be entered again.
    _ = #expect(throws: TreeError.self) { try Database.repair(at: home) { _ in [log: 1 << 40] } }
    #expect(try Database.damage(at: home) == [])
  }

  @Test func `what a repair left that was cut short does no harm`() throws {
    let fleet = try makeFleet(6)
    let before = try own(fleet[1])
    fleet.close(1)
    let home = fleet.members[1].home
    try damageTree(fleet, 1)
    // Cut short in the making, and behind the second name of the damaged file.
    try FileSystem.makeDirectory("\(home)/repair.new")
    try FileSystem.writeFileDurably("\(home)/repair.new/data.mdb", [1, 2, 3])
    try FileSystem.makeDirectory("\(home)/data.damaged-1")
    _ = try Database.repair(at: home, environment: fleet.members[1].clock.environment)
    let names = try FileSystem.list(home)
    #expect(!names.contains("repair.new") && !names.contains("data.damaged-2"))
    try fleet.reopen(1)
    #expect(try own(fleet[1]) == before)
  }

  @Test func `a home that somebody has open is not replaced`() throws {
    let fleet = try makeFleet(7)
    #expect(errorCode { try Database.repair(at: fleet.members[1].home) } == .unavailable)
    fleet.close(1)
  }

  @Test func `a database of which nothing is left says so`() throws {
    let fleet = try makeFleet(8)
    fleet.close(1)
    try overwrite(fleet, 1, [UInt8](repeating: 0, count: 50_000))
    #expect(errorCode { try Database.repair(at: fleet.members[1].home) } == .damaged)
    try overwrite(fleet, 1, [])
    #expect(errorCode { try Database.repair(at: fleet.members[1].home) } == .damaged)
  }
}
