import Foundation
package import OfflineTree

/// Bytes of the formats as they were once written, in `fixtures/golden`.
package struct Golden {
  /// One thing that was encoded: what it is in words, and its bytes.
  package struct Item: Equatable, Sendable {
    package let text: String
    package let bytes: [UInt8]

    package init(_ text: String, _ bytes: [UInt8]) {
      self.text = text
      self.bytes = bytes
    }
  }

  package let name: String

  package init(_ name: String) {
    self.name = name
  }

  /// The items of the file: a line of words in NAME.txt, a line of bytes in NAME.hex.
  package func items() throws -> [Item] {
    let texts = try lines("txt")
    let bytes = try lines("hex").map { OfflineTree.bytes(fromHexadecimal: $0) ?? [] }
    guard texts.count == bytes.count else { throw Scenario.Failure("\(name).txt and \(name).hex differ in length") }
    return zip(texts, bytes).map { Item($0, $1) }
  }

  private func lines(_ suffix: String) throws -> [String] {
    try Fixtures.text("golden/\(name).\(suffix)").split(separator: "\n").map(String.init)
  }

  /// The items of the file; those of this version, written to it first, if OFFLINETREE_RECORD is set.
  package func items(recording made: [Item]) throws -> [Item] {
    if Oracle.environment("OFFLINETREE_RECORD") != nil {
      try write(made.map(\.text), "txt")
      try write(made.map { hexadecimal($0.bytes) }, "hex")
    }
    return try items()
  }

  private func write(_ lines: [String], _ suffix: String) throws {
    let folder = Fixtures.folder.appendingPathComponent("golden")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let text = lines.map { $0 + "\n" }.joined()
    try Data(text.utf8).write(to: folder.appendingPathComponent("\(name).\(suffix)"))
  }
}

extension Golden {
  /// The changes that the golden files are made of: a founder's log, and one of a device that came by its invite.
  package static func logs() throws -> (genesis: Genesis, founder: RawLog, other: RawLog) {
    let device = TestDevice(1)
    let recovery = RecoveryCode(environment: TestClock(seed: 1).environment)
    let genesis = try Genesis(
      founder: device.key, recoveryKey: recovery.publicKey, name: "Jokes",
      addOnlySets: [Genesis.AddOnlySet(path: try Path("jokes"), keys: .own)],
      flags: [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")], nonce: Bytes32(32..<64))
    var founder = RawLog(space: genesis.spaceID, device: device, random: .zero)
    try founder.introduce(name: "laptop", standing: .genesis(genesis), stamp: .at(1_700_000_000_000))
    let invite = RawInvite(seed: Array(128..<160))
    try founder.control([invite.operation], stamp: .at(1_700_000_000_000, 1))
    var other = RawLog(space: genesis.spaceID, device: TestDevice(2), random: Bytes16(96..<112))
    try other.join(invite, name: "phone", seeing: founder.records.suffix(1), stamp: .at(1_700_000_000_000, 2))
    try write(&founder, &other)
    try founder.control(controls(genesis.spaceID, other).normalized, stamp: .at(1_700_000_004_000), recovery: recovery)
    return (genesis, founder, other)
  }

  /// The keys of two epochs of the golden space: the first, and one that follows it.
  package static func epochs(_ space: SpaceID) -> (first: EpochKeys, next: EpochKeys) {
    var (first, next) = (Array(UInt8(0)..<32), Array(UInt8(32)..<64))
    return (EpochKeys(Secret(&first), space: space), EpochKeys(Secret(&next), space: space))
  }

  /// Every kind of control operation; what is sealed with chance is a pattern.
  private static func controls(_ space: SpaceID, _ other: RawLog) -> [ControlOperation] {
    let (first, next) = epochs(space)
    let box = ControlOperation.SealedKey(
      device: other.deviceKey, box: (0..<ControlOperation.SealedKey.boxBytes).map { UInt8(truncatingIfNeeded: $0) })
    let lockbox = Keyring.lockbox([first], under: next, nonce: Array(0..<24))
    return [
      .invite(
        ControlOperation.InviteTerms(
          publicKey: RawInvite(seed: Array(160..<192)).publicKey, role: .reader, uses: 3, notAfter: 1_700_600_000_000)),
      .grant(device: other.deviceKey, .owner), .end(.device(TestDevice(3).key)), .end(.log(other.id)),
      .end(.invite(RawInvite(seed: Array(128..<160)).publicKey)), .end(.role(other.deviceKey)),
      .rotate(ControlOperation.Rotation(epoch: next.id, parents: [first.id], lockbox: lockbox.sealed, boxes: [box])),
      .deviceName("laptop at home"), .deliver(next.id, [box]), .lockbox(lockbox),
    ]
  }

  private static func write(_ founder: inout RawLog, _ other: inout RawLog) throws {
    let jokeTime: Int64 = 1_700_000_001_000
    let joke = ElementBinding.key(
      space: founder.space, device: founder.deviceKey, milliseconds: jokeTime, nonce: 7
    ).text
    try founder.append(
      Change(
        parents: [], stamp: .at(1_700_000_001_000), wallTime: jokeTime, author: Key.of("anna"),
        bindings: [ElementBinding(element: PathKey("jokes/\(joke)"), nonce: 7)],
        operations: [
          .put("jokes/\(joke)/author", .string("anna")), .put("jokes/\(joke)/jokeText", .string("Knock, knock.")),
          .put("jokes/\(joke)/votes", 0),
        ]))
    try other.append(
      Change(
        parents: founder.records.suffix(1).map(\.parent), stamp: .at(1_700_000_002_000, 3),
        wallTime: 1_600_000_000_000, author: Key.of("ben"),
        operations: [.vote("jokes/\(joke)/votes", voter: "ben", choice: 1)]))
    try other.append(
      Change(
        parents: [], stamp: .at(1_700_000_002_000, 4), wallTime: 1_700_000_003_000, isImport: true,
        operations: [
          .clear("a"), .clear("b/c"), .put("d", .bool(true)), .put("e/7", .double(0.5)), .put("f", .string("ü")),
          .increment("n", by: -3), .increment("o", by: .double(1e300)), .vote("n", voter: "u", choice: -1),
          .vote("n", voter: "v", choice: 0), .priority("d", nil), .priority("f", .string("p")), .priority("o", .int(2)),
        ]))
  }
}
