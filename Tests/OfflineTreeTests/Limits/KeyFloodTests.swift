import TestSupport
import Testing

@testable import OfflineTree

/// Keys, and what holds them, by devices that may not, or that lie.
@Suite struct KeyFloodTests {
  private func runs(_ database: Database, after clock: VectorClock) throws -> [ChangeRun] {
    var outgoing = try database.outgoing(to: clock)
    return try outgoing.next(maximumBytes: 1 << 20, from: database)
  }

  @Test func `a void rotation seals nothing, here or where it was made`() throws {
    let fleet = try Fleet(3, seed: 1)
    try fleet.meetAll()
    try fleet[0].rotate()
    try fleet.meetAll()
    let current = try fleet[0].epochs().current.id
    fleet[2].allowsVoidWrites = true
    for _ in 0..<3 { try fleet[2].rotate() }
    let void = try fleet[2].view { _, replica in
      replica.authority.sealingRecords.compactMap(\.rotation?.epoch).filter { $0 != current }
    }
    #expect(void.count == 3)
    try fleet.meetAll()
    for index in 0..<3 {
      let clock = try fleet[index].clock()
      #expect(try fleet[index].epochs().current.id == current)
      try fleet[index].write { try $0.setValue(.int(1), at: try Path("n")) }
      let sent = try runs(fleet[index], after: clock)
      #expect(!sent.isEmpty && sent.allSatisfy { $0.epoch == current })
    }
  }

  @Test func `lockboxes without end bring no keys but those that are named, and hide none`() throws {
    let fleet = try Fleet(3, seed: 2)
    try fleet.meetAll()
    try fleet[0].rotate()
    try fleet.meetAll()
    let own = try fleet[2].epochs().current
    let before = try fleet[1].epochs().known.count
    let clock = try fleet[2].clock()
    for start in stride(from: 0, to: 200, by: 50) {
      let controls: [ControlOperation] = (start..<(start + 50)).map { number in
        let others = (0..<20).map { other in
          var key = Sodium.hash32([UInt8(number), UInt8(other)]).bytes
          return EpochKeys(Secret(&key), space: own.space)
        }
        let nonce = [UInt8](repeating: UInt8(number), count: Sodium.nonceBytes)
        return .lockbox(Keyring.lockbox(others, under: own, nonce: nonce))
      }
      let environment = fleet[2].environment
      try fleet[2].submit { rows, state in
        let draft = Replica.Draft(controls: controls.normalized, wallTime: 0)
        try state.write(draft, deviceName: "d", environment: environment, rows)
        try state.flush(rows)
      }
    }
    let flood = try runs(fleet[2], after: clock)
    // As files that wait, and applied.
    #expect(try !fleet[1].learnKeys(from: flood, wanted: []))
    #expect(try fleet[1].receive(flood, keepBlocked: true).applied == 4)
    #expect(try fleet[1].epochs().known.count == before)
    try fleet[0].rotate()
    try fleet.meetAll()
    for index in 0..<3 { #expect(try fleet[index].epochs().current.id == fleet[0].epochs().current.id) }
    #expect(try fleet[1].epochs().known.count == before + 1)
  }

  /// Of a change, and of the device's own clock.
  private static let times: [Int64] = [.min, -1, 0, 1_000, .max - 1, .max]

  @Test(arguments: times, times)
  func `no wall time stops what a device does by itself`(told: Int64, own: Int64) throws {
    let space = try ModelSpace(devices: ["a", "b"], seed: 3)
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions)
    var founder = space.logs[space.founder]
    var (firstKey, key) = (space.epochKey, [UInt8](repeating: 9, count: 32))
    let first = EpochKeys(Secret(&firstKey), space: space.id)
    let epoch = EpochKeys(Secret(&key), space: space.id)
    let database = listener.database
    let box = try #require(DeviceKeys.seal(epoch, for: database.deviceKey, database.keys.boxKey))
    let rotation = ControlOperation.Rotation(
      epoch: epoch.id, parents: [first.id],
      lockbox: Keyring.lockbox([first], under: epoch, nonce: Array(0..<24)).sealed, boxes: [box])
    listener.clock.now = own
    try founder.append(Change(parents: [], stamp: .at(1_000), wallTime: told, controls: [.rotate(rotation)]))
    var late = RawLog(space: space.id, device: TestDevice(1), random: .zero)
    let introduction = Introduction(
      random: .zero, deviceKey: late.deviceKey, boxKey: late.device.boxKey, deviceName: "late",
      standing: space.invite.standing(of: late.device, space: space.id, random: .zero))
    try late.append(
      Change(parents: [space.registration.parent], stamp: .at(1_000), wallTime: told, introduction: introduction))
    let reception = try listener.receive([try #require(founder.tip), late.records[0]])
    #expect(reception.applied == 2 && reception.problems.isEmpty)
    // It came by an invite of before, so that it is owed the key: at once, unless others may be about to bring it.
    let (passed, isFarOff) = own.subtractingReportingOverflow(told)
    let isOwed = try database.view { _, replica in
      replica.devicesWithoutKey(of: epoch.id, own).contains(late.deviceKey)
    }
    #expect(isOwed == (!isFarOff && (0...60_000).contains(passed)))
    try database.upkeep()
    _ = try database.invites()
  }
}
