import TestSupport
import Testing

@testable import OfflineTree

/// What a repair cannot prove or find: it is written down, and told until it is back.
@Suite struct RepairLossTests {
  private let fleet: Fleet
  private let home: String
  private let page = 4_096
  private static let text = "a text that only this home has"

  init() throws {
    fleet = try Fleet(2, seed: 21)
    for number in 0..<30 {
      try fleet[0].write([.increment(PathKey("n").path, .int(1))])
      try fleet[1].write([.set(PathKey("mine/\(number)").path, NewValue(Scalar.int(1)))])
    }
    try fleet.meetAll()
    try fleet[1].write([.set(PathKey("mine/last").path, NewValue(Scalar.string(Self.text)))])
    home = try fleet.backUp(1)
  }

  private var path: String { "\(home)/data/data.mdb" }

  private func bytes() throws -> [UInt8] { try FileSystem.readFile(path, maximumBytes: 64 << 20) }

  private func json(_ path: String) throws -> JSON {
    try JSON(parsing: String(decoding: try FileSystem.readFile(path, maximumBytes: 16 << 20), as: UTF8.self))
  }

  /// Breaks what begins a device's log wherever it stands, so that nothing of the log has a place.
  private func eraseBeginning(of index: Int) throws {
    let log = try #require(try fleet[index].read { try $0.logs() }.first { $0.deviceName == "d\(index)" }?.introduced)
    let introduction = try #require(
      try Fleet.runs(of: fleet[0]).first { $0.log == log && $0.first == 0 }?.bodies.first)
    var bytes = try bytes()
    var erased = 0
    for start in stride(from: 0, to: bytes.count, by: page) {
      guard let place = Array(bytes[start..<start + page]).firstRange(of: introduction) else { continue }
      bytes[start + place.lowerBound] ^= 0xFF
      erased += 1
    }
    #expect(erased > 0)
    try FileSystem.writeFileDurably(path, bytes)
  }

  @Test func `changes in a file that does not say whose it was are written down, and not applied`() throws {
    let sound = try bytes()
    var cut = [UInt8](repeating: 0, count: sound.count)
    for start in stride(from: 2 * page, to: sound.count, by: page) {
      let content = Array(sound[start..<start + page])
      let hasText = content.firstRange(of: Array(Self.text.utf8)) != nil
      let saysWhose = [fleet[1].spaceID.bytes, fleet[1].deviceKey.bytes].contains { content.firstRange(of: $0) != nil }
      if hasText, !saysWhose { cut.replaceSubrange(start..<start + page, with: content) }
    }
    #expect(cut.firstRange(of: Array(Self.text.utf8)) != nil)
    try FileSystem.writeFileDurably(path, cut)
    let error = #expect(throws: TreeError.self) { try Database.repair(at: home) }
    #expect(error?.code == .damaged && error?.context.contains("changes.json") == true)
    let file = try json("\(home)/changes.json")
    let text = "\(file)"
    #expect(text.contains(Self.text) && text.contains("proven"))
    #expect(!text.contains("true"), "nothing of it is proven")
    #expect(try bytes() == cut, "the damaged file stays")
    #expect(try FileSystem.list(home).filter { $0.hasPrefix("data.damaged") }.isEmpty)
  }

  @Test func `what others had made and a repair did not find is told until it is back`() throws {
    try eraseBeginning(of: 0)
    #expect(try !Database.damage(at: home).isEmpty)
    let report = try Database.repair(at: home)
    #expect(report.othersMissing > 0)
    try fleet.restore(1, from: home, inPlace: false)
    let missed = try fleet[1].read { try $0.status() }.missedByRepair
    #expect(missed >= 30, "\(missed)")
    try fleet.reopen(1)
    #expect(try fleet[1].read { try $0.status() }.missedByRepair == missed)
    try fleet.meetAll()
    #expect(try fleet[1].read { try $0.status() }.missedByRepair == 0)
    try fleet.expectConverged()
  }

  @Test func `what somebody is known to have is missed as well, and no more than that`() throws {
    try eraseBeginning(of: 0)
    let log = try #require(try fleet[0].ownPosition())
    let others = log.seq + 1
    for number in 0..<3 { try fleet[0].write([.increment(PathKey("n").path, .int(Int64(number)))]) }
    let report = try Database.repair(at: home) { _ in [log.log: others + 3] }
    #expect(report.isKeeper == false)
    try fleet.restore(1, from: home, inPlace: false)
    #expect(try fleet[1].read { try $0.status() }.missedByRepair == others + 3)
    try fleet.meetAll()
    #expect(try fleet[1].read { try $0.status() }.missedByRepair == 0)
  }

  @Test func `what is missed by somebody's word alone ends once nobody says so any more`() throws {
    try eraseBeginning(of: 0)
    let log = try #require(try fleet[0].ownPosition())
    let there = log.seq + 1
    _ = try Database.repair(at: home) { _ in [log.log: there + 1_000] }
    try fleet.restore(1, from: home, inPlace: false)
    func missed() throws -> UInt64 { try fleet[1].read { try $0.status() }.missedByRepair }
    #expect(try missed() == there + 1_000)
    try fleet[1].limitMissed { [log.log: there + 1_000] }
    #expect(try missed() == there + 1_000)
    // What was found in the damaged database itself is missed, whatever anybody says.
    try fleet[1].limitMissed { [:] }
    #expect(try missed() == there)
    try fleet[1].limitMissed {
      Issue.record("nothing rests on a word any more")
      return [:]
    }
    try fleet.meetAll()
    #expect(try missed() == 0)
  }

  @Test func `a sound repair misses nothing`() throws {
    var bytes = try bytes()
    // The list of free pages, and what leads to it: no change stands there.
    let newer = bytes[144] > bytes[page + 144] ? 0 : page
    bytes.replaceSubrange(newer..<newer + page, with: [UInt8](repeating: 0, count: page))
    try FileSystem.writeFileDurably(path, bytes)
    _ = try Database.repair(at: home)
    try fleet.restore(1, from: home, inPlace: false)
    try fleet.meetAll()
    #expect(try fleet[1].read { try $0.status() }.missedByRepair == 0)
  }
}
