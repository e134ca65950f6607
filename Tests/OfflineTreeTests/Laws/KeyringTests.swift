import TestSupport
import Testing

@testable import OfflineTree

/// Keys that a device can have are not lost to what came before them.
@Suite struct KeyringTests {
  private func knows(_ database: Database, _ epoch: EpochID) throws -> Bool { try database.epochs()[epoch] != nil }

  /// Devices that have met, those at `owners` with that role.
  private func fleet(_ count: Int, owners: [Int], seed: UInt64) throws -> Fleet {
    let fleet = try Fleet(count, seed: seed)
    try fleet.meetAll()
    for index in owners { try fleet[0].grant(.owner, to: fleet[index].deviceKey) }
    try fleet.meetAll()
    return fleet
  }

  @Test func `a rotation that was void when it came gives its key once it stands`() throws {
    let fleet = try fleet(5, owners: [1], seed: 1)
    fleet[3].allowsVoidWrites = true
    for _ in 0..<64 { try fleet[3].rotate() }
    try fleet.meetAll()
    // The founder removes the first owner, who has not heard of it when it rotates.
    try fleet[0].removeMembers([fleet[1].deviceKey])
    try fleet[1].rotate()
    let rotated = try fleet[1].epochs().current.id
    try fleet.send(from: 0, to: 4)
    try fleet.send(from: 1, to: 4)
    #expect(try !knows(fleet[4], rotated))
    // The recovery code undoes what the founder did.
    try fleet[2].recoverOwner(fleet.recovery, removing: [fleet[0].deviceKey])
    try fleet.send(from: 2, to: 4)
    #expect(try knows(fleet[4], rotated))
  }

  @Test func `boxes and lockboxes of nobody knows what do not keep a device from learning`() throws {
    let fleet = try fleet(3, owners: [], seed: 2)
    let junk = try ModelSpace(devices: ["a", "b"], seed: 2).logs[1]
    let victim = fleet[1]
    for number in 0..<300 {
      var key = Sodium.hash32([UInt8(number & 255), UInt8(number >> 8)]).bytes
      let epoch = EpochKeys(Secret(&key), space: fleet[0].spaceID)
      let box = try #require(DeviceKeys.seal(epoch, for: victim.deviceKey, victim.keys.boxKey))
      let change = Change(
        parents: [], stamp: .at(1), wallTime: 0,
        controls: [
          .deliver(epoch.id, [box]), .lockbox(Keyring.lockbox([], under: epoch, nonce: Array(0..<24))),
        ].normalized)
      // What is wanted is opened, and does not stay for ever.
      _ = try victim.learnKeys(from: [junk.run(of: [change.body])], wanted: number < 280 ? [epoch.id] : [])
    }
    #expect(try victim.epochs().known.count <= 257)
    try fleet[0].rotate()
    let rotated = try fleet[0].epochs().current.id
    #expect(try victim.learnKeys(from: try Fleet.runs(of: fleet[0]), wanted: [rotated]))
    #expect(try knows(victim, rotated))
    try fleet.send(from: 0, to: 1)
    #expect(try victim.epochs().current.id == rotated)
  }

  @Test func `keys that nobody asks for are not taken from what is not judged`() throws {
    let fleet = try fleet(2, owners: [], seed: 3)
    try fleet[0].rotate()
    let rotated = try fleet[0].epochs().current.id
    let runs = try Fleet.runs(of: fleet[0])
    #expect(try !fleet[1].learnKeys(from: runs, wanted: []))
    #expect(try !knows(fleet[1], rotated))
    #expect(try fleet[1].learnKeys(from: runs, wanted: [rotated]))
    #expect(try knows(fleet[1], rotated))
  }

  @Test func `rotations that stood beside each other long ago still make their key`() throws {
    let fleet = try fleet(3, owners: [1], seed: 4)
    for _ in 0..<40 { try fleet[0].rotate() }
    try fleet.meetAll()
    for owner in [0, 1] { try fleet[owner].rotate() }
    for owner in [0, 1] { try fleet.send(from: owner, to: 2) }
    let mixed = try fleet[2].epochs().current.id
    try fleet.meetAll()
    for _ in 0..<40 { try fleet[0].rotate() }
    try fleet.meetAll()
    for index in 0..<3 { #expect(try knows(fleet[index], mixed), "\(index)") }
  }

  @Test func `a change that was given up keeps no key of the one in its place`() throws {
    let space = try ModelSpace(devices: ["a", "b"], seed: 5)
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions)
    let (database, founder) = (listener.database, space.logs[space.founder])
    var (firstKey, key) = (space.epochKey, [UInt8](repeating: 9, count: 32))
    let first = EpochKeys(Secret(&firstKey), space: space.id)
    let epoch = EpochKeys(Secret(&key), space: space.id)
    var rotating = founder
    let rotation = try rotating.control(
      [
        .rotate(
          ControlOperation.Rotation(
            epoch: epoch.id, parents: [first.id],
            lockbox: Keyring.lockbox([first], under: epoch, nonce: Array(0..<24)).sealed, boxes: []))
      ], stamp: .at(10))
    try listener.receive([rotation])
    let good = try #require(DeviceKeys.seal(epoch, for: database.deviceKey, database.keys.boxKey))
    let bad = ControlOperation.SealedKey(device: good.device, box: [UInt8](repeating: 1, count: good.box.count))
    // Two logs that would be the next one here, each with a key for this device at the same number.
    let logs = try [bad, good].enumerated().map { number, box in
      var log = try space.join(TestDevice(UInt64(number)), seeing: [rotation], stamp: .at(11))
      try log.control([.deliver(epoch.id, [box])], stamp: .at(12))
      return log
    }
    #expect(throws: TreeError.self) {
      try database.submit { rows, state in
        #expect(try state.receive([logs[0].run], keepBlocked: false, rows).applied == 2)
        _ = database.keyring(state)
        throw TreeError(.internal, "it is given up")
      }
    }
    try listener.receive([logs[1].run])
    #expect(try knows(database, epoch.id))
  }
}
