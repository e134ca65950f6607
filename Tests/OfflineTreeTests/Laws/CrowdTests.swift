import OfflineTree
import TestSupport
import Testing

/// More devices than one change can name.
@Suite struct CrowdTests {
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

  @Test func `a device writes although more logs than a change can name were not seen by anybody`() throws {
    let count = 2 * Limits.changeParents + 10
    let crowd = try (0..<count).map { number in
      try log(UInt8(1 + number / 60), number, seeing: [genesis]).records[0]
    }
    let (listener, other) = (try Listener(genesis, space: space), try Listener(genesis, space: space, seed: 1))
    try listener.receive(crowd)
    let database = listener.database
    try database.write { try $0.setValue(1, at: PathKey("x").path) }
    try database.write { try $0.setValue(2, at: PathKey("x").path) }
    #expect(try database.verify().problems.isEmpty)
    var random = SeededRandom(seed: 1)
    try Fleet.send(from: database, to: other.database, Fleet.Manner(), &random)
    #expect(try other.database.clock() == database.clock())
    #expect(try other.database.stateHash() == database.stateHash())
    #expect(try other.database.read { try $0.conflicts() }.isEmpty)
  }
}
