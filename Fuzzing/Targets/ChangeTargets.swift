import OfflineTree

extension FuzzTarget {
  /// The bytes of a change: there is one encoding for one content.
  static let change = FuzzTarget(
    name: "change", maximumBytes: 4_096,
    // An operation of two bytes takes as much as one with a path and a value.
    memory: { 512 * $0 + 65_536 },
    seeds: { SeedChanges.all.map { Seed($0, $1.body) } },
    run: { bytes throws(FuzzFailure) in
      let decoded = attempt { () throws(TreeError) in try Change.decode(bytes[...]) }
      guard case .change(let change, let fault)? = decoded, fault == nil else { return }
      try require(change.body == bytes, "a change was read that nobody writes so")
      try require(ControlOperation.isNormal(change.controls), "control operations are not in normal form")
      try require(NormalForm.holds(change.operations), "operations are not in normal form")
    })

  static let introduction = FuzzTarget(
    name: "introduction", maximumBytes: 2_048,
    memory: { 256 * $0 + 65_536 },
    seeds: {
      [
        Seed("genesis", SeedChanges.introduction(.genesis(SeedChanges.founding)).encoded),
        Seed("join", SeedChanges.introduction(.join(invite: Bytes32(0..<32), FuzzSpace.signature)).encoded),
        Seed("open", SeedChanges.introduction(.open).encoded),
      ]
    },
    run: { bytes throws(FuzzFailure) in
      let read = attempt { () throws(TreeError) in try Introduction.decode(bytes) }
      guard let read = read ?? nil else { return }
      try require(read.encoded == bytes, "an introduction was read that nobody writes so")
      _ = read.joinFault(space: FuzzSpace.space)
    })

  static let genesis = FuzzTarget(
    name: "genesis", maximumBytes: 4_096,
    memory: { 512 * $0 + 65_536 },
    seeds: { [Seed("jokes", SeedChanges.founding.encoded)] },
    run: { bytes throws(FuzzFailure) in
      let read = attempt { () throws(TreeError) in try Genesis(decoding: bytes[...]) }
      guard let read else { return }
      try require(read.encoded == bytes, "a genesis was read that nobody writes so")
    })
}
