import OfflineTree
import TestSupport
import Testing

/// Logs of one device beyond those that are delivered unasked.
@Suite struct HeldBackLogTests {
  private let genesis: Record
  private let space: SpaceID

  init() throws {
    let made = try ModelSpace(devices: ["a"], addOnlySets: [], flags: [], seed: 3)
    genesis = made.introductions[0]
    space = made.id
  }

  private func log(_ device: UInt8, _ number: Int, seeing parents: [Record], at time: UInt64 = 1_000) throws -> RawLog {
    let random = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
    var log = RawLog(
      space: space, deviceKey: Bytes32([UInt8](repeating: device, count: 32)), random: Bytes16(random))
    try log.introduce(name: "d", parents: parents.map(\.parent), stamp: Stamp(milliseconds: time, counter: 0))
    return log
  }

  /// As many logs of one device as are delivered unasked, and two more of which the second has seen the first.
  private func manyLogs() throws -> (few: [Record], first: Record, second: Record) {
    let few = try (0..<Limits.logsPerDevice).map { try log(1, $0, seeing: [genesis]).records[0] }
    let first = try log(1, 1_000, seeing: [genesis]).records[0]
    let second = try log(1, 1_001, seeing: [first], at: 2_000).records[0]
    return (few, first, second)
  }

  private func expectDelivery(_ orders: [[Record]], of last: Record, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    for order in orders {
      let listener = try Listener(genesis, space: space)
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
    var other = try log(2, 0, seeing: [genesis])
    try other.write([.put(PathKey("x"), .int(1))], seeing: [second], stamp: Stamp(milliseconds: 4_000, counter: 0))
    let ends = [[first, second], [second, first]]
    try expectDelivery(
      ends.map { few + $0 + other.records } + ends.map { few + other.records + $0 }, of: other.records[1])
  }

  @Test func `what waits for a log beyond the limit frees it after the home was opened again`() throws {
    let (few, first, _) = try manyLogs()
    for device in UInt8(2)..<6 {
      var other = try log(device, 0, seeing: [genesis])
      try other.write([.put(PathKey("x"), .int(1))], seeing: [first], stamp: Stamp(milliseconds: 4_000, counter: 0))
      let folder = try TemporaryFolder()
      let home = folder.path + "/home"
      let environment = TestClock(now: 1_000, seed: 1).environment
      var database = try Database.join(
        at: home, space: space, deviceName: "l", environment: environment, options: Fleet.options)
      for record in [genesis] + few + other.records {
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
