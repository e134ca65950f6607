package import OfflineTree

/// A space made by hand: a genesis, and one introduced log for each device, whose ids sort as the devices are listed.
package struct ModelSpace: Sendable {
  package let genesis: Genesis
  package private(set) var logs: [RawLog]
  /// The introductions, the founder's first.
  package let introductions: [Record]
  package let founder: Int

  package var id: SpaceID { genesis.spaceID }

  package init(
    devices: [String], addOnlySets: [Genesis.AddOnlySet] = [], flags: [Genesis.Flag] = [], seed: UInt64 = 0
  ) throws {
    var random = SeededRandom(seed: seed)
    let keys = devices.map { _ in Bytes32(random.bytes(32)) }
    genesis = try Genesis(
      founder: keys[0], name: "test", addOnlySets: addOnlySets, flags: flags, nonce: Bytes32(random.bytes(32)))
    let space = genesis.spaceID
    var drawn = keys.enumerated().map { index, key in
      RawLog(space: space, deviceKey: key, random: index == 0 ? .zero : Bytes16(random.bytes(16)))
    }
    let founderLog = drawn[0].id
    drawn.sort { $0.id < $1.id }
    founder = drawn.firstIndex { $0.id == founderLog } ?? 0
    let first = try drawn[founder].introduce(
      name: devices[founder], standing: .genesis(genesis), stamp: .zero)
    var records = [first]
    for index in drawn.indices where index != founder {
      records.append(
        try drawn[index].introduce(
          name: devices[index], parents: [first.parent], stamp: Stamp(milliseconds: 0, counter: 1)))
    }
    introductions = records
    logs = drawn
  }
}
