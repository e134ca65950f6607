import OfflineTree
import TestSupport
import Testing

/// The bytes of the formats do not change by accident.
@Suite struct GoldenTests {
  private func expect(_ name: String, _ made: [Golden.Item]) throws {
    let items = try Golden(name).items(recording: made)
    #expect(items.map(\.text) == made.map(\.text))
    for (item, other) in zip(items, made) {
      #expect(hexadecimal(item.bytes) == hexadecimal(other.bytes), "\(item.text)")
    }
  }

  /// Text whose composed and decomposed forms can be told apart.
  private func escaped(_ text: String) -> String {
    text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
  }

  @Test func `genesis and ids`() throws {
    let (genesis, founder, other) = try Golden.logs()
    try expect(
      "genesis",
      [
        .init(
          "the genesis record: version, founder, recovery key, policy, name, add-only sets, flags, no rules, nonce",
          genesis.encoded),
        .init("the space's id: BLAKE2b-256 of the record", genesis.spaceID.bytes),
        .init("the founder's first log: H16(\"OT log 1\", space, device key, 16 zero bytes)", founder.id.bytes),
        .init("another device's log", other.id.bytes),
        .init(
          "a branch of it: H16(\"OT branch 1\", log, hash of its first change)",
          Introduction.branchID(log: other.id, first: other.records[1].hash).bytes),
      ])
    #expect(try Genesis(decoding: genesis.encoded[...]) == genesis)
  }

  @Test func `changes and their hashes`() throws {
    let (_, founder, other) = try Golden.logs()
    let texts = [
      "introduction of the founder's log, with the genesis", "the registration of an invite",
      "a joke: author, one binding, three puts", "every kind of control operation, with the recovery key's signature",
      "introduction of a log by the invite", "a vote, with a parent and a wall time before its stamp",
      "every kind of operation, as an import",
    ]
    let records = founder.records + other.records
    #expect(texts.count == records.count)
    let items = zip(texts, records).flatMap { text, record in
      [Golden.Item(text, record.body), Golden.Item("its hash", record.hash.bytes)]
    }
    try expect("changes", items)
    for item in try Golden("changes").items() where item.text != "its hash" {
      guard case .change(let change, nil) = try Change.decode(item.bytes[...]) else {
        Issue.record("\(item.text) is not read")
        continue
      }
      #expect(change.body == item.bytes)
    }
  }

  @Test func `what is signed, and signatures of it`() throws {
    let (genesis, founder, other) = try Golden.logs()
    let (space, tip) = (genesis.spaceID, try #require(other.tip))
    let head = ChangeRun.signedHead(log: other.id, seq: tip.seq, head: tip.hash, space: space)
    let join = Introduction.joinMessage(
      space: space, deviceKey: other.deviceKey, boxKey: other.device.boxKey, random: other.random)
    let control = founder.records[3]
    let recovery = try #require(control.change).recoveryMessage(
      space: space, log: founder.id, seq: control.seq, previous: control.previous)
    try expect(
      "signatures",
      [
        .init("what is signed of a log up to its last change", head),
        .init("its device's public key", other.deviceKey.bytes),
        .init("its signature", try #require(tip.signature).bytes),
        .init("what an invite's key signs for a device: its keys, and its log's id", join),
        .init("what the recovery key signs: the hash of the change without the signature", recovery),
        .init(
          "what a device signs for a connection, whose content is 00 01 02",
          SignaturePurpose.channel.message(space, [0, 1, 2])),
      ])
    let items = try Golden("signatures").items()
    #expect(Sodium.isValid(Signature(items[2].bytes), of: items[0].bytes, byUnknown: Bytes32(items[1].bytes)))
  }

  @Test func `epochs and their keys`() throws {
    let (genesis, _, _) = try Golden.logs()
    let (first, next) = Golden.epochs(genesis.spaceID)
    var keyring = Keyring(first: first)
    keyring.add(next)
    let mix = try #require(keyring.mix([next.id, first.id]))
    try expect(
      "epochs",
      [
        .init("the epoch whose key is the bytes 00 to 1f", first.id.bytes),
        .init("its body key", first.body.copyBytes()), .init("its header key", first.header.copyBytes()),
        .init("its names key", first.names.copyBytes()),
        .init("its TLS pre-shared key", first.preSharedKey.copyBytes()),
        .init("its TLS identity key", first.identity.copyBytes()), .init("its nonces key", first.nonces.copyBytes()),
        .init("its lockbox key", first.lockbox.copyBytes()),
        .init("its name of no bytes", Array(first.name(of: []).utf8)),
        .init(
          "its nonce of 32 random zeros, a head of zeros and a plaintext hash of zeros",
          first.nonce(random: [UInt8](repeating: 0, count: 32), head: .zero, plaintextHash: .zero)),
        .init("the epoch whose key is the bytes 20 to 3f", next.id.bytes),
        .init(
          "its lockbox with the first epoch's key, under the nonce 00 to 17",
          Keyring.lockbox([first], under: next, nonce: Array(0..<24)).sealed),
        .init("the key of the time in which both stand beside each other", mix.key.copyBytes()),
        .init("the epoch of that key", mix.id.bytes),
      ])
  }

  @Test func `path keys, in their order`() throws {
    let paths = [
      "-2147483648", "-1", "-0", "0", "1", "01", "001", "2", "2147483647", "-2147483649", "-a", "2147483648", "a",
      "a/0",
      "a/00", "a/b", "a/b/c", "ab", "café", "cafe\u{301}", "ü", "€", "😀", "\u{E000}", "\u{FFEE}",
    ]
    let sorted = paths.map { PathKey($0) }.sorted()
    try expect("path-keys", sorted.map { .init("path \(escaped("\($0)"))", $0.bytes) })
    for item in try Golden("path-keys").items() {
      #expect(try PathKey(encoded: item.bytes).bytes == item.bytes)
    }
  }

  @Test func `scalars and sums`() throws {
    let scalars: [Scalar] = [
      .bool(false), .bool(true), .int(0), .int(-1), .int(64), .int(.max), .int(.min), .double(0), .double(1),
      .double(.leastNonzeroMagnitude), .double(.greatestFiniteMagnitude), .string(""), .string("ü😀"),
    ]
    try expect(
      "scalars",
      scalars.map { scalar in
        var writer = ByteWriter()
        scalar.encode(to: &writer)
        return .init("value \(escaped("\(JSON(scalar))"))", writer.bytes)
      })
    let sums: [[Scalar]] = [
      [], [.int(1)], [.int(-1)], [.int(.max), .int(.max)], [.double(0.1)], [.double(0.1), .double(0.2)],
      [.double(1e308), .int(1)], [.double(1.5), .double(-1.5)],
    ]
    try expect(
      "sums",
      sums.map { numbers in
        var sum = ExactSum()
        for number in numbers { sum.add(number) }
        var writer = ByteWriter()
        sum.encode(to: &writer)
        return .init("sum of \(numbers.map { JSON($0) })", writer.bytes)
      })
  }

  @Test func `a clock's digest`() throws {
    let (_, founder, other) = try Golden.logs()
    let clock = VectorClock([founder, other].compactMap { $0.tip?.position })
    try expect("clock", [.init("digest of a clock with two logs", clock.digest.bytes)])
  }

  @Test func `a key that is bound to its device`() throws {
    let (genesis, _, _) = try Golden.logs()
    let key = ElementBinding.key(
      space: genesis.spaceID, device: genesis.founder, milliseconds: 1_700_000_001_000, nonce: 7)
    try expect("own-key", [.init("key of the founder's device at 1700000001000 with the nonce 7", key.utf8)])
  }
}
