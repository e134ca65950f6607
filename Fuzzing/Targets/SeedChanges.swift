import OfflineTree

/// One change of each kind.
enum SeedChanges {
  static let all: [(name: String, change: Change)] = [
    ("genesis", genesis), ("join", join), ("open", open), ("joke", joke), ("vote", vote),
    ("everything", everything), ("controls", controls), ("rotation", rotation), ("recovery", recovery),
    ("long", long),
  ]

  static let founding = Genesis.Seed.make()
  static let genesis = introduce(.genesis(founding))
  static let join = introduce(.join(invite: Bytes32(32..<64), FuzzSpace.signature))
  static let open = introduce(.open)

  private static func introduce(_ standing: Introduction.Standing) -> Change {
    Change(
      parents: parents(standing == .genesis(founding) ? 0 : 1), stamp: stamp, wallTime: 1_700_000_000_000,
      introduction: introduction(standing))
  }

  static func introduction(_ standing: Introduction.Standing) -> Introduction {
    Introduction(
      random: Bytes16(0..<16), deviceKey: FuzzSpace.client.publicKey, boxKey: Bytes32(64..<96), deviceName: "laptop",
      standing: standing)
  }

  static let joke = Change(
    parents: [], stamp: stamp, wallTime: 1_600_000_000_000, author: Key(index: 7),
    bindings: [ElementBinding(element: path("jokes/-Nabc"), nonce: 7)],
    operations: [
      .put(path("jokes/-Nabc/jokeText"), .string("Knock, knock.")), .put(path("jokes/-Nabc/votes"), .int(0)),
    ])

  static let vote = Change(
    parents: parents(2), stamp: stamp, wallTime: 0, author: Key(index: 7),
    operations: [.vote(path("jokes/-Nabc/votes"), voter: Key(index: 7), choice: -1)])

  static let everything = Change(
    parents: [], stamp: stamp, wallTime: .min, isImport: true,
    operations: [
      .clear(path("a")), .put(path("d"), .bool(true)), .put(path("e/-7"), .double(0.5)), .put(path("f"), .string("ü")),
      .increment(path("n"), by: .int(-3)), .increment(path("o"), by: .double(1e300)),
      .vote(path("n"), voter: Key(index: 1), choice: 0), .priority(path("d"), nil),
      .priority(path("f"), .string("p")), .priority(path("o"), .int(2)),
    ])

  static let controls = change([
    .invite(.init(publicKey: Bytes32(0..<32), role: .member, uses: 1, notAfter: 1_700_000_000_000)),
    .grant(device: Bytes32(0..<32), .owner), .end(.device(Bytes32(0..<32))), .end(.log(Bytes16(0..<16))),
    .end(.invite(Bytes32(0..<32))), .end(.role(Bytes32(0..<32))), .deviceName("phone"),
    .deliver(Bytes16(0..<16), [box(1)]),
    .lockbox(
      .init(
        epoch: Bytes16(0..<16), sealed: [UInt8](repeating: 4, count: ControlOperation.Lockbox.byteCount(keys: 1)))),
  ])

  static let rotation = change([
    .rotate(
      .init(
        epoch: Bytes16(0..<16), parents: [Bytes16(16..<32), Bytes16(32..<48)],
        lockbox: [UInt8](repeating: 3, count: ControlOperation.Lockbox.byteCount(keys: 2)),
        boxes: [box(1), box(2)]))
  ])

  static let recovery = change([.grant(device: Bytes32(0..<32), .owner), .recovery(FuzzSpace.signature)])

  /// As many levels as a path may have.
  static let long = Change(
    parents: [], stamp: stamp, wallTime: 0,
    operations: [.put(path(Array(repeating: "1", count: 32).joined(separator: "/")), .int(.min))])

  private static let stamp = Stamp(milliseconds: 1_700_000_000_000, counter: 3)

  private static func change(_ controls: [ControlOperation]) -> Change {
    Change(parents: [], stamp: stamp, wallTime: 1, controls: controls.normalized)
  }

  private static func parents(_ count: UInt8) -> [Change.Parent] {
    (0..<count).map { Change.Parent(log: Bytes16(repeatElement($0, count: 16)), seq: 300, hash: Bytes16(0..<16)) }
  }

  private static func box(_ number: UInt8) -> ControlOperation.SealedKey {
    ControlOperation.SealedKey(
      device: Bytes32(repeatElement(number, count: 32)),
      box: [UInt8](repeating: number, count: ControlOperation.SealedKey.boxBytes))
  }

  private static func path(_ text: String) -> PathKey {
    guard let path = attempt({ () throws(TreeError) in try Path(text) }) else { fatalError("\(text) is no path") }
    return PathKey(path)
  }
}

extension Genesis {
  /// The space of the seeds.
  enum Seed {
    static func make() -> Genesis {
      let genesis = attempt { () throws(TreeError) in
        try Genesis(
          founder: FuzzSpace.client.publicKey, recoveryKey: Bytes32(32..<64), membersMayInvite: true, name: "Jokes",
          addOnlySets: [AddOnlySet(path: try Path("jokes"), keys: .own), AddOnlySet(path: try Path("b"), keys: .open)],
          flags: [Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")], nonce: Bytes32(0..<32))
      }
      guard let genesis else { fatalError("the seeds' space cannot be made") }
      return genesis
    }
  }
}
