package import OfflineTree

/// A space made by hand: a genesis, an invite, and one introduced log for each device, whose ids sort as the devices are
/// listed.
package struct ModelSpace: Sendable {
  package let genesis: Genesis
  package let recovery: RecoveryCode
  /// Registered by the founder's change 1; all others came by it.
  package let invite: RawInvite
  /// The key of the space's first epoch.
  package let epochKey: [UInt8]
  package private(set) var logs: [RawLog]
  /// The founder's introduction, the registration of the invite, the others' introductions.
  package let introductions: [Record]
  package let founder: Int

  package var id: SpaceID { genesis.spaceID }

  /// The founder's introduction.
  package var beginning: Record { introductions[0] }

  /// The change that registers the invite.
  package var registration: Record { introductions[1] }

  /// - Parameter foundedByFirst: Is the founder's log the first in order?
  package init(
    devices: [String], addOnlySets: [Genesis.AddOnlySet] = [], flags: [Genesis.Flag] = [],
    rules: [UInt8] = [], membersMayInvite: Bool = false, foundedByFirst: Bool = false, seed: UInt64 = 0
  ) throws {
    var random = SeededRandom(seed: seed)
    let keys = devices.map { _ in TestDevice(seed: random.bytes(32)) }
    invite = RawInvite(seed: random.bytes(32))
    epochKey = random.bytes(32)
    recovery = RecoveryCode(environment: TestClock(seed: random.next()).environment)
    genesis = try Genesis(
      founder: keys[0].key, recoveryKey: recovery.publicKey, membersMayInvite: membersMayInvite, name: "test",
      addOnlySets: addOnlySets, flags: flags, rules: rules, nonce: Bytes32(random.bytes(32)))
    let space = genesis.spaceID
    let first = RawLog(space: space, device: keys[0], random: .zero)
    var drawn = [first]
    while drawn.count < devices.count {
      let log = RawLog(space: space, device: keys[drawn.count], random: Bytes16(random.bytes(16)))
      if !foundedByFirst || first.id < log.id { drawn.append(log) }
    }
    drawn.sort { $0.id < $1.id }
    founder = drawn.firstIndex { $0.id == first.id } ?? 0
    var records = [
      try drawn[founder].introduce(name: devices[founder], standing: .genesis(genesis), stamp: .zero),
      try drawn[founder].control([invite.operation], stamp: .at(0, 1)),
    ]
    for index in drawn.indices where index != founder {
      records.append(
        try drawn[index].join(invite, name: devices[index], seeing: [records[1]], stamp: .at(0, 2)))
    }
    introductions = records
    logs = drawn
  }

  /// The first log of a further device, which comes by the invite.
  package func join(
    _ device: TestDevice, random: Bytes16 = .zero, name: String = "d", seeing parents: [Record] = [],
    stamp: Stamp = .at(0, 2)
  ) throws -> RawLog {
    var log = RawLog(space: id, device: device, random: random)
    try log.join(invite, name: name, seeing: parents.isEmpty ? [registration] : parents, stamp: stamp)
    return log
  }
}
