import OfflineTree
import TestSupport
import Testing

/// Logs of one device beyond those that are delivered unasked.
@Suite struct HeldBackLogTests {
  private let space: ModelSpace

  init() throws { space = try ModelSpace(devices: ["a"], addOnlySets: [], flags: [], seed: 3) }

  private func log(
    _ device: UInt64, _ number: Int, seeing parents: [Record] = [], at time: UInt64 = 1_000
  ) throws -> RawLog {
    let random = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
    return try space.join(TestDevice(device), random: Bytes16(random), seeing: parents, stamp: .at(time))
  }

  /// As many logs of one device as are delivered unasked, and two more of which the second has seen the first.
  private func manyLogs() throws -> (few: [Record], first: Record, second: Record) {
    let few = try (0..<Limits.logsPerDevice).map { try log(1, $0).records[0] }
    let first = try log(1, 1_000).records[0]
    let second = try log(1, 1_001, seeing: [first], at: 2_000).records[0]
    return (few, first, second)
  }

  private func expectDelivery(_ orders: [[Record]], of last: Record, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    for order in orders {
      let listener = try Listener(space)
      try listener.receive([space.registration])
      for record in order { try listener.receive([record]) }
      #expect(try listener.database.hasChange(last.position), sourceLocation: sourceLocation)
    }
  }

  @Test func `a log beyond the limit is delivered once another device's first change has seen it`() throws {
    let (few, first, _) = try manyLogs()
    let other = try log(2, 0, seeing: [first], at: 3_000).records[0]
    try expectDelivery([few + [first, other], few + [other, first], [other, first] + few], of: other)
  }

  @Test func `a log beyond the limit is delivered once another device has seen one that had seen it`() throws {
    let (few, first, second) = try manyLogs()
    var other = try log(2, 0)
    try other.write([.put(PathKey("x"), .int(1))], seeing: [second], stamp: Stamp(milliseconds: 4_000, counter: 0))
    let ends = [[first, second], [second, first]]
    try expectDelivery(
      ends.map { few + $0 + other.records } + ends.map { few + other.records + $0 }, of: other.records[1])
  }

  @Test func `what waits for a log beyond the limit frees it after the home was opened again`() throws {
    let (few, first, _) = try manyLogs()
    for device in UInt64(2)..<6 {
      var other = try log(device, 0)
      try other.write([.put(PathKey("x"), .int(1))], seeing: [first], stamp: Stamp(milliseconds: 4_000, counter: 0))
      let folder = try TemporaryFolder()
      let home = folder.path + "/home"
      let environment = TestClock(now: 1_000, seed: 1).environment
      let stranger = try RawInvite(seed: Array(0..<32)).invite(
        space: space.id, epochKey: space.epochKey, registration: nil)
      var database = try Database.join(
        at: home, invite: stranger, deviceName: "l", environment: environment, options: Fleet.options)
      for record in [space.beginning, space.registration] + few + other.records {
        _ = try database.receive([record.run], keepBlocked: true)
        database.close()
        database = try Database.open(at: home, environment: environment, options: Fleet.options)
      }
      _ = try database.receive([first.run], keepBlocked: true)
      #expect(try database.hasChange(other.records[1].position))
      database.close()
    }
  }
}
