import OfflineTree
import TestSupport
import Testing

/// More devices than one change can name.
@Suite struct CrowdTests {
  private let space: ModelSpace
  /// One lets in only so many.
  private let invites: [(invite: RawInvite, registration: Record)]

  init() throws {
    space = try ModelSpace(devices: ["a"], addOnlySets: [], flags: [], seed: 3)
    var founder = space.logs[space.founder]
    invites = try (UInt8(1)...3).map { number in
      let invite = RawInvite(seed: [UInt8](repeating: number, count: 32))
      return (invite, try founder.control([invite.operation], stamp: .at(10 + UInt64(number))))
    }
  }

  private func log(_ device: UInt64, _ number: Int) throws -> RawLog {
    let random = [UInt8](repeating: 0, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
    let (invite, registration) = invites[number % invites.count]
    var log = RawLog(space: space.id, device: TestDevice(device), random: Bytes16(random))
    try log.join(invite, name: "d", seeing: [registration], stamp: .at(1_000))
    return log
  }

  @Test func `a device writes although more logs than a change can name were not seen by anybody`() throws {
    let count = 2 * Limits.changeParents + 10
    let crowd = try (0..<count).map { number in
      try log(UInt64(1 + number / 60), number).records[0]
    }
    let (listener, other) = (try Listener(space, isMember: true), try Listener(space, seed: 1))
    try listener.receive([space.registration] + invites.map(\.registration) + crowd)
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
