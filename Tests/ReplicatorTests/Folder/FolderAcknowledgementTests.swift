import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// What homes say of themselves, and what others say in their names.
@Suite struct FolderAcknowledgementTests {
  let (homes, first, second): (TestHomes, Database, Database)

  init() throws { (homes, first, second) = try TestHomes.two() }

  /// What a home may say.
  private func acknowledgement(
    _ number: Int, of device: Bytes32, home: Bytes16? = nil, counter: UInt64 = 1, _ clock: VectorClock
  ) -> Acknowledgement {
    let token = home ?? Sodium.hash16(Array(String(number).utf8))
    return Acknowledgement(
      peer: PeerIdentity(deviceKey: device, name: "somebody", homeToken: token), counter: counter, wallTime: 0,
      clock: clock)
  }

  private func clock(_ log: LogID, _ count: Int) -> VectorClock {
    VectorClock((0..<count).map { LogPosition(log: log, seq: UInt64($0), hash: .zero) })
  }

  @Test func `a flood of acknowledgements takes bounded room, and is told`() throws {
    var index = FolderIndex(root: homes.shared)
    let own = try #require(try first.ownPosition()).log
    index.interest = FolderIndex.Interest(own: first.identity, logs: [own])
    let flood = FolderIndex.maximumHomes + 100
    for number in 0..<flood {
      let said = clock(number.isMultiple(of: 100) ? own : .zero, 1_000)
      index.hear(acknowledgement(number, of: second.deviceKey, said), in: FolderName("x/\(number)"))
    }
    #expect(index.isUnheard && index.acknowledgements.count == FolderIndex.maximumHomes)
    let kept = index.acknowledgements.values.map(\.clock.positions.count)
    #expect(Set(kept) == [0, Acknowledgement.keptPositions])
    // A home that is known is heard all the same, and where nobody's file is left there is room for others.
    index.hear(acknowledgement(5, of: second.deviceKey, counter: 2, clock(own, 1)), in: FolderName("x/y"))
    #expect(index.acknowledgements.values.contains { $0.counter == 2 })
    _ = try index.refresh(try first.epochs(), now: 0)
    #expect(index.acknowledgements.isEmpty)
  }

  @Test func `what is known of homes takes bounded room in the database`() throws {
    var records = RemoteRecords(database: first)
    records.homesKept = 3
    let own = try #require(try first.ownPosition()).log
    func seen(_ number: Int) -> RemoteRecords.Seen {
      let said = acknowledgement(number, of: second.deviceKey, clock(own, number == 0 ? 1_000 : 0))
      return RemoteRecords.Seen(
        peer: said.peer, wallTime: 0, heardAt: Int64(number), positions: said.clock.positions)
    }
    for number in 0..<3 { try records.note(seen(number), remote: "folder /x") }
    #expect(try records.seen(by: "folder /x").map(\.positions.count).max() == Acknowledgement.keptPositions)
    for number in 3..<9 { try records.note(seen(number), remote: "folder /x") }
    #expect(try Set(records.seen(by: "folder /x").map(\.heardAt)) == [6, 7, 8], "who was heard of last")
  }

  /// The file of an acknowledgement that `signer` has signed, whomever it names.
  private func file(_ acknowledgement: Acknowledgement, by signer: Database) throws -> [UInt8] {
    acknowledgement.sealed(try first.epochs().current, random: TestKeys.random) { signer.sign(.acknowledge, $0) }
  }

  private func own(_ database: Database) throws -> (name: String, file: [UInt8]) {
    let folder = hexadecimal(database.homeToken.bytes)
    let name = try #require(try files(below: homes.shared).first { $0.hasPrefix(folder) && $0.hasSuffix(".ack") })
    return (name, try bytes("\(homes.shared)/\(name)"))
  }

  @Test func `what another member says in this home's name is refused by name`() throws {
    try post("a", on: first)
    let exchange = homes.exchange(first)
    #expect(exchange.exchange().error == nil)
    let forged = acknowledgement(0, of: first.deviceKey, home: first.homeToken, counter: .max, clock(.zero, 1))
    try deliver(try file(forged, by: second), as: "other/file.ack", in: homes.shared)
    for database in [first, second] {
      let report = try sync(database, homes.shared)
      #expect(report.refused.map(\.name) == ["other/file.ack"])
      #expect(report.refused.first?.error.code == .damaged)
      #expect(report.refused.first?.error.context.contains("not signed by the device that it names") == true)
    }
    #expect(try sync(second, homes.shared).peers.map(\.identity) == [first.identity])
    try post("b", on: first)
    #expect(exchange.exchange().error == nil)
    #expect(try exchange.index.acknowledgements[first.identity]?.clock == first.clock())
    // In the home's own folder as well, until the home writes a new one.
    try write(try file(forged, by: second), "\(homes.shared)/\(hexadecimal(first.homeToken.bytes))/forged.ack")
    #expect(try sync(second, homes.shared).refused.count == 2)
    try post("c", on: first)
    try sync(first, homes.shared)
    #expect(try sync(second, homes.shared).refused.map(\.name) == ["other/file.ack"])
  }

  @Test func `an acknowledgement counts in the space and for the purpose that it was signed for`() throws {
    let keys = try first.epochs().current
    let said = acknowledgement(0, of: second.deviceKey, home: second.homeToken, try second.clock())
    let key = TestDevice(9).signingKey
    let other = acknowledgement(0, of: key.publicKey, try second.clock())
    let files = [
      said.sealed(keys, random: TestKeys.random) { second.sign(.channel, $0) },
      said.sealed(keys, random: TestKeys.random) { _ in TestKeys.signature },
      other.sealed(keys, random: TestKeys.random) { key.sign(SignaturePurpose.acknowledge.message(.zero, $0)) },
    ]
    for file in files {
      let error = #expect(throws: TreeError.self) { try Acknowledgement(opening: file, known: [keys.id: keys]) }
      #expect(error?.context.contains("not signed") == true)
    }
    let right = other.sealed(keys, random: TestKeys.random) {
      key.sign(SignaturePurpose.acknowledge.message(first.spaceID, $0))
    }
    #expect(try Acknowledgement(opening: right, known: [keys.id: keys]).clock == second.clock())
  }

  /// A holder of the key can seal what it likes: the seal does not say who wrote it.
  @Test func `no byte of what a device has signed can be another`() throws {
    let (keys, clock) = (try first.epochs().current, try first.clock())
    let said = acknowledgement(0, of: first.deviceKey, home: first.homeToken, clock)
    let body = try opened(try file(said, by: first), keys)
    // As far as the signature, which has the last 64 bytes before the padding.
    let end = 80 - 8 + "somebody".utf8.count + 56 * clock.positions.count + Signature.byteCount
    for index in 0..<end {
      var flipped = body
      flipped[index] ^= 1
      let file = try sealed(flipped, keys)
      #expect(throws: TreeError.self, "\(index)") { try Acknowledgement(opening: file, known: [keys.id: keys]) }
    }
    #expect(try Acknowledgement(opening: try sealed(body, keys), known: [keys.id: keys]).clock == clock)
  }

  private func opened(_ file: [UInt8], _ keys: EpochKeys) throws -> [UInt8] {
    let (outer, sealed) = (Array(file.prefix(SealedOuter.byteCount)), file.dropFirst(SealedOuter.byteCount))
    return try #require(
      Sodium.open(
        sealed, nonce: try SealedOuter(decoding: file[...]).nonce, additional: outer + keys.space.bytes, keys.body))
  }

  private func sealed(_ body: [UInt8], _ keys: EpochKeys) throws -> [UInt8] {
    let nonce = Array(TestKeys.random.prefix(Sodium.nonceBytes))
    let outer = SealedOuter(
      kind: .acknowledgement, epoch: keys.id, nonce: nonce,
      fileByteCount: SealedOuter.byteCount + body.count + Sodium.tagBytes
    ).encoded
    return outer + Sodium.seal(body, nonce: nonce, additional: outer + keys.space.bytes, keys.body)
  }

  @Test func `a copy elsewhere is not this home's own`() throws {
    try post("a", on: first)
    let exchange = homes.exchange(first)
    #expect(exchange.exchange().error == nil)
    let (name, file) = try own(first)
    try deliver(file, as: "other/file.ack", in: homes.shared)
    let before = try files(below: homes.shared)
    for _ in 0..<3 { #expect(exchange.exchange().error == nil) }
    #expect(exchange.isQuiet)
    #expect(try files(below: homes.shared) == before, "others' files are not ours to delete")
    // With only the copy left the home says again what it has.
    try FileSystem.remove("\(homes.shared)/\(name)")
    #expect(exchange.exchange().error == nil)
    #expect(try files(below: homes.shared).filter { $0.hasSuffix(".ack") }.count == 2)
    #expect(try own(first).file != file)
  }

  @Test func `who calls another's home its own speaks for itself alone`() throws {
    for database in [first, second] { try sync(database, homes.shared) }
    let third = try homes.make("third")
    let lie = acknowledgement(0, of: third.deviceKey, home: second.homeToken, counter: .max, try first.clock())
    try deliver(try file(lie, by: third), as: "other/file.ack", in: homes.shared)
    try post("a", on: second)
    try sync(second, homes.shared)
    let exchange = homes.exchange(first)
    let report = exchange.exchange().report
    #expect(Set(report.peers.map(\.identity)) == [second.identity, lie.peer])
    let tip = try #require(try first.ownPosition())
    #expect(exchange.index.acknowledgements[second.identity]?.clock.positions == [tip])
    let records = RemoteRecords(database: first)
    for peer in [lie.peer, second.identity, lie.peer] {
      try records.note(RemoteRecords.Seen(peer: peer, wallTime: 0, heardAt: 0, positions: []), remote: "folder /x")
    }
    #expect(try Set(records.seen(by: "folder /x").map(\.peer)) == [lie.peer, second.identity])
    // Nor does it keep the home from saying what it has.
    #expect(try sync(second, homes.shared).refused.isEmpty)
  }

  @Test func `who is no member, or is none any more, is no peer`() throws {
    for database in [first, second] { try sync(database, homes.shared) }
    let key = TestDevice(9).signingKey
    let stranger = acknowledgement(0, of: key.publicKey, try first.clock())
    try deliver(
      stranger.sealed(try first.epochs().current, random: TestKeys.random) {
        key.sign(SignaturePurpose.acknowledge.message(first.spaceID, $0))
      }, as: "other/file.ack", in: homes.shared)
    #expect(try sync(first, homes.shared).peers.map(\.identity.deviceKey) == [second.deviceKey])
    try first.removeMembers([second.deviceKey])
    #expect(try sync(first, homes.shared).peers.isEmpty)
  }
}
