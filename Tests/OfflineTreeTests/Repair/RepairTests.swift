import OfflineTree
import TestSupport
import Testing

/// A damaged home comes back with what only it had.
@Suite struct RepairTests {
  private let path = PathKey("n").path

  private func bytes(_ home: String) throws -> [UInt8] {
    try FileSystem.readFile("\(home)/data/data.mdb", maximumBytes: 64 << 20)
  }

  private func overwrite(_ home: String, _ bytes: [UInt8]) throws {
    try FileSystem.writeFileDurably("\(home)/data/data.mdb", bytes)
  }

  /// What is repaired is a copy that nobody has open; afterwards the member goes on with it.
  private func repair(_ home: String, _ fleet: Fleet) throws -> RepairReport {
    let report = try Database.repair(at: home, environment: fleet.members[1].clock.environment)
    try fleet.restore(1, from: home, inPlace: false)
    return report
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

  private func changesOfOthers(_ database: Database) throws -> Int {
    try database.read { try $0.logs() }.filter { !$0.isOwn }.reduce(0) { $0 + Int($1.count) }
  }

  @Test(arguments: UInt64(1)...2) func `with any page zeroed, all of its own comes back that is not on that page`(
    seed: UInt64
  ) throws {
    let fleet = try makeFleet(seed)
    let before = try own(fleet[1])
    let home = try fleet.backUp(1)
    let sound = try bytes(home)
    var (repaired, whole) = (0, 0)
    for page in 0..<sound.count / 4_096 {
      var damaged = sound
      damaged.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
      try overwrite(home, damaged)
      if try Database.damage(at: home).isEmpty { continue }
      let report = try repair(home, fleet)
      repaired += 1
      #expect(try fleet[1].verify().isSound, "page \(page)")
      let found = try own(fleet[1])
      #expect(found.isSubset(of: before), "page \(page)")
      let known = found.count + report.ownWaiting + report.ownLost + report.ownLeftOver
      #expect(known == before.count, "page \(page): \(report)")
      if report.ownLost == 0 { whole += 1 }
    }
    #expect(repaired > 10 && whole > repaired / 2, "\(whole) of \(repaired)")
  }

  @Test func `with any page zeroed that leads to others, everything comes back`() throws {
    let fleet = try Fleet(2, seed: 11)
    for round in 0..<200 {
      try fleet[1].write([.increment(path, .int(1))])
      if round.isMultiple(of: 20) {
        try fleet[0].write([.increment(path, .int(1_000))])
        try fleet.send(from: 0, to: 1)
      }
    }
    let before = try own(fleet[1])
    let home = try fleet.backUp(1)
    let sound = try bytes(home)
    var repaired = 0
    for page in 2..<sound.count / 4_096 where sound[page * 4_096 + 10] == 1 {
      var damaged = sound
      damaged.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: [UInt8](repeating: 0, count: 4_096))
      try overwrite(home, damaged)
      if try Database.damage(at: home).isEmpty { continue }
      let report = try repair(home, fleet)
      repaired += 1
      #expect(report.ownLost == 0 && report.ownWaiting == 0 && report.ownLeftOver == 0, "page \(page)")
      #expect(try own(fleet[1]) == before, "page \(page)")
      #expect(try fleet[1].read { try $0.scalar(at: path) } == .int(10_200), "page \(page)")
    }
    #expect(repaired > 1)
  }

  /// Damages a page of the tree: what is there is worked out again from changes.
  private func damageTree(_ home: String) throws {
    let sound = try bytes(home)
    for page in 2..<sound.count / 4_096 {
      var damaged = sound
      damaged[page * 4_096 + 12] ^= 0xFF
      try overwrite(home, damaged)
      if try Database.damage(at: home).contains(where: { $0.contains("the table tree") }) { return }
    }
    Issue.record("no page of the tree was found")
  }

  @Test(arguments: Seeds.scaled(10))
  func `what was pending goes out as it was, once, and the next write begins a new log`(
    seed: UInt64
  ) throws {
    let fleet = try makeFleet(seed)
    let (before, position) = (try own(fleet[1]), try fleet[1].ownPosition())
    let home = try fleet.backUp(1)
    try damageTree(home)
    let report = try repair(home, fleet)
    #expect(report.ownLost == 0 && report.ownLeftOver == 0 && report.ownWaiting == 0)
    #expect(fleet[1].isCopy)
    #expect(try own(fleet[1]) == before)
    try fleet[1].write([.increment(path, .int(10))])
    #expect(try fleet[1].ownPosition()?.log != position?.log)
    try fleet.meetAll()
    try fleet.expectConverged()
    #expect(Set(try Fleet.runs(of: fleet[0]).flatMap(\.hashes)).isSuperset(of: before))
    let forks = try fleet[0].read { try $0.status(limit: 1).forks }
    #expect(forks == [])
    let kept = try FileSystem.list(home).filter { $0.hasPrefix("data.damaged-") }
    #expect(kept == ["data.damaged-1"])
  }

  @Test func `a home that dropped history is repaired, and catches up with who kept it`() throws {
    let fleet = try Fleet(3, seed: 9)
    for _ in 0..<40 { try fleet[2].write([.increment(path, .int(1))]) }
    try fleet.meetAll()
    try fleet[1].keepLittle(block: 4)
    #expect(try fleet[1].drop(keepers: [fleet[0]]).droppedChanges > 20)
    for _ in 0..<3 { try fleet[1].write([.increment(path, .int(100))]) }
    let before = try own(fleet[1])
    let others = try changesOfOthers(fleet[1])
    let home = try fleet.backUp(1)
    try damageTree(home)
    let report = try repair(home, fleet)
    #expect(report.ownLost == 0 && report.ownWaiting > 0)
    let missing = others - (try changesOfOthers(fleet[1]))
    #expect(report.othersMissing == missing && missing > 0 && !report.isKeeper, "\(report)")
    try fleet.meetAll()
    #expect(try own(fleet[1]).isSuperset(of: before))
    #expect(try fleet[0].read { try $0.scalar(at: path) } == .int(340))
    try fleet.expectConverged()
  }

  @Test func `a keeper's repair says that it is one, and that nothing is missing of what it has`() throws {
    let fleet = try makeFleet(12)
    try fleet.meetAll()
    let home = try fleet.backUp(0)
    try damageTree(home)
    let report = try Database.repair(at: home)
    #expect(report.isKeeper)
    #expect(report.othersMissing == 0 && report.ownLost == 0 && report.ownWaiting == 0 && report.ownLeftOver == 0)
  }

  @Test func `own changes for which there is no room to wait are written down for people`() throws {
    let fleet = try makeFleet(13)
    let long = String(repeating: "a long text of mine ", count: 480_000)
    for number in 0..<7 {
      try fleet[1].write([.set(PathKey("long/\(number)").path, NewValue(Scalar.string(long)))])
    }
    let before = try own(fleet[1])
    let log = try #require(try fleet[1].ownPosition()?.log)
    let runs = try Fleet.runs(of: fleet[1])
    let introduction = try #require(runs.first { $0.log == log && $0.first == 0 }?.bodies.first)
    let home = try fleet.backUp(1)
    let path = "\(home)/data/data.mdb"
    var bytes = try FileSystem.readFile(path, maximumBytes: 256 << 20)
    // What its log begins with is gone, wherever it stands: everything behind it waits.
    var erased = 0
    for page in stride(from: 0, to: bytes.count, by: 4_096) {
      let content = Array(bytes[page..<page + 4_096])
      guard let place = content.firstRange(of: introduction) else { continue }
      bytes[page + place.lowerBound] ^= 0xFF
      erased += 1
    }
    #expect(erased > 0)
    try FileSystem.writeFileDurably(path, bytes)
    let report = try Database.repair(at: home)
    #expect(report.ownLeftOver > 0 && report.ownLost > 0)
    let known = report.ownChanges + report.ownWaiting + report.ownLost + report.ownLeftOver
    #expect(known == before.count, "\(report)")
    let file = try #require(report.leftOverFile)
    #expect(file == "\(report.damagedCopy)/changes.json")
    let text = try FileSystem.readFile(file, maximumBytes: 256 << 20)
    #expect(text.firstRange(of: Array("long/6".utf8)) != nil)
  }

  @Test func `without its keys a device's pending changes are written down for people`() throws {
    let fleet = try makeFleet(5)
    let log = try #require(try fleet[1].ownPosition()?.log)
    try fleet[1].write([.set(PathKey("only/here").path, NewValue(Scalar.string("a text of mine")))])
    let home = try fleet.backUp(1)
    try FileSystem.remove("\(home)/device.key")
    let error = #expect(throws: TreeError.self) { try Database.repair(at: home) }
    #expect(error?.code == .notFound && error?.context.contains("changes.json") == true)
    let text = String(decoding: try FileSystem.readFile("\(home)/changes.json", maximumBytes: 1 << 20), as: UTF8.self)
    #expect(text.contains("a text of mine") && text.contains("only/here"))
    // What somebody is known to have need not be entered again.
    _ = #expect(throws: TreeError.self) { try Database.repair(at: home) { _ in [log: 1 << 40] } }
    #expect(try Database.damage(at: home) == [])
  }

  @Test(arguments: [false, true]) func `what somebody made look like this device's own change is not taken for one`(
    losesHead: Bool
  ) throws {
    let fleet = try makeFleet(10)
    let before = try own(fleet[1])
    let position = try #require(try fleet[1].ownPosition())
    let home = try fleet.backUp(1)
    let forged = Change(
      parents: [], stamp: Stamp(milliseconds: 1 << 45, counter: 0), wallTime: 0,
      operations: [.increment(PathKey("n"), by: .int(1_000))])
    let row = position.hash.bytes + [1, 0, 0, 0] + [UInt8(forged.body.count), 0, 0, 0] + forged.body
    let number = (0..<8).map { UInt8(truncatingIfNeeded: (position.seq + 1) >> (8 * (7 - $0))) }
    var bytes = try bytes(home)
    bytes += ForgedPage.bytes((0..<4).map { (.run, [0, 0, 0, UInt8($0)] + number, row) })
    let older = bytes[144] < bytes[4_096 + 144] ? 0 : 4_096
    // Without it, the repair cannot know whether more was committed.
    if losesHead { bytes.replaceSubrange(older..<older + 4_096, with: [UInt8](repeating: 0, count: 4_096)) }
    try overwrite(home, bytes)
    let report = try repair(home, fleet)
    #expect(try own(fleet[1]) == before)
    #expect(report.ownLeftOver == (losesHead ? 1 : 0))
    #expect((report.leftOverFile != nil) == losesHead)
  }

  @Test func `what a repair left that was cut short does no harm`() throws {
    let fleet = try makeFleet(6)
    let before = try own(fleet[1])
    let home = try fleet.backUp(1)
    try damageTree(home)
    // Cut short in the making, and behind the second name of the damaged file.
    try FileSystem.makeDirectory("\(home)/repair.new")
    try FileSystem.writeFileDurably("\(home)/repair.new/data.mdb", [1, 2, 3])
    try FileSystem.makeDirectory("\(home)/data.damaged-1")
    _ = try repair(home, fleet)
    let names = try FileSystem.list(home)
    #expect(!names.contains("repair.new") && !names.contains("data.damaged-2"))
    #expect(try own(fleet[1]) == before)
  }

  @Test func `a home that somebody has open is not replaced`() throws {
    let fleet = try makeFleet(7)
    #expect(errorCode { try Database.repair(at: fleet.members[1].home) } == .unavailable)
  }

  @Test func `a database of which nothing is left says so`() throws {
    let fleet = try makeFleet(8)
    let home = try fleet.backUp(1)
    for bytes in [[UInt8](repeating: 0, count: 50_000), []] {
      try overwrite(home, bytes)
      #expect(errorCode { try Database.repair(at: home) } == .damaged)
    }
  }
}
