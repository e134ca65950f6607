import OfflineTree
import TestSupport
import Testing

/// Nobody speaks for another device: a run counts only with the signature of its log's device over its last change.
@Suite struct SignatureTests {
  @Test(arguments: Forgery.all)
  func `what a device has not signed is refused before anything of it counts, and the right run counts after it`(
    forgery: Forgery
  ) throws {
    let made = try ForgedSpace()
    let listener = try Listener(made.space.space)
    try listener.receive(made.space.records)
    let (clock, hash) = (try listener.database.clock(), try listener.database.stateHash())
    let forged = try forgery.make(made)
    let reception = try listener.receive([forged, made.beside.run])
    #expect(reception.refused.map(\.log) == [forged.log])
    #expect(reception.refused.allSatisfy { $0.error.code == .damaged })
    #expect(reception.applied == 1)
    #expect(try listener.database.hasChange(made.beside.position))
    #expect(try listener.database.read { try $0.value(at: PathKey("n").path) }.isNull)
    #expect(
      try listener.database.clock().positions.filter { $0.log != made.beside.log }
        == clock.positions.filter { $0.log != made.beside.log })
    #expect(try listener.database.read { try $0.status() }.waitingCount == 0)
    #expect(try listener.receive([made.run]).applied == 3)
    #expect(try listener.database.read { try $0.value(at: PathKey("n").path) } == .int(111))
    #expect(try listener.database.stateHash() != hash)
    #expect(try listener.database.verify().problems.isEmpty)
  }

  @Test func `what waits for its log's first change is refused once its device is known and has not signed it`() throws
  {
    let made = try ForgedSpace()
    for forgery in [Forgery.unsigned, .byAnotherDevice, .truncated] {
      let listener = try Listener(made.space.space)
      let forged = try forgery.make(made)
      #expect(try listener.receive([forged]).blocked.map(\.reason) == [.missingPrevious])
      let reception = try listener.receive(made.space.records)
      #expect(reception.refused.map(\.log) == [forged.log], "\(forgery)")
      #expect(try listener.database.read { try $0.status() }.waitingCount == 0)
      #expect(try listener.receive([made.run]).applied == 3)
    }
  }

  @Test func `a change comes with its author's signature through devices that never met the author`() throws {
    let made = try ForgedSpace()
    let relays = try (0..<3).map { try Listener(made.space.space, seed: $0) }
    try relays[0].receive(made.space.records)
    try relays[0].receive([made.run])
    var random = SeededRandom(seed: 1)
    for (from, to) in [(0, 1), (1, 2)] {
      try Fleet.send(from: relays[from].database, to: relays[to].database, Fleet.Manner(), &random)
    }
    let runs = try Fleet.runs(of: relays[2].database)
    let last = try #require(runs.first { $0.log == made.run.log && $0.last == made.run.last })
    #expect(last.signature == made.run.signature)
    #expect(try relays[2].database.clock() == relays[0].database.clock())
  }

  @Test func `what waits is passed on with its signature, and proven where it can be judged`() throws {
    let made = try ForgedSpace()
    let (relay, other) = (try Listener(made.space.space), try Listener(made.space.space, seed: 1))
    // The relay lacks the beginning of the log, and so does not know whose it is.
    try relay.receive([made.run])
    try other.receive(made.space.records)
    var random = SeededRandom(seed: 1)
    try Fleet.send(from: relay.database, to: other.database, Fleet.Manner(), &random)
    #expect(try other.database.hasChange(made.last.position))
  }

  @Test func `a log that its device signed seldom goes out up to a signature only`() throws {
    let made = try ForgedSpace()
    let listener = try Listener(made.space.space)
    try listener.receive(made.space.records)
    try listener.receive([made.run])
    for bytes in [1, 1 << 20] {
      var outgoing = try listener.database.outgoing(to: VectorClock([]))
      while true {
        let runs = try outgoing.next(maximumBytes: bytes, from: listener.database)
        if runs.isEmpty { break }
        #expect(runs.allSatisfy { $0.signature != nil && $0.epoch != nil })
      }
    }
  }
}

/// Three more changes of the liar's log, of which the device signed the last, and one beside them.
struct ForgedSpace {
  let space: LiarSpace
  let changes: [Record]
  let run: ChangeRun
  let beside: Record

  var last: Record { changes[2] }

  init() throws {
    let made = try LiarSpace()
    var (liar, honest) = (made.liar, made.honest)
    for amount in [1, 10, 100] as [Int64] {
      try liar.write([.increment("n", by: amount)], stamp: .at(3_000 + UInt64(amount)))
    }
    beside = try honest.write([.put("beside", 1)], stamp: .at(3_000))
    changes = Array(liar.records.suffix(3))
    run = ChangeRun(changes) ?? liar.run
    space = made
  }

  /// The run with other changes or another signature.
  func run(_ records: [Record], signature: Signature?) -> ChangeRun {
    var run = ChangeRun(records) ?? run
    run.signature = signature
    return run
  }
}

/// A run that its device has not signed.
struct Forgery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let make: @Sendable (ForgedSpace) throws -> ChangeRun

  init(_ name: String, make: @escaping @Sendable (ForgedSpace) throws -> ChangeRun) {
    testDescription = name
    self.make = make
  }

  static let unsigned = Forgery("without a signature") { $0.run($0.changes, signature: nil) }
  static let truncated = Forgery("cut behind its second change, with the signature of its last") {
    $0.run(Array($0.changes.prefix(2)), signature: $0.run.signature)
  }
  static let byAnotherDevice = Forgery("signed by another member's device") {
    let message = ChangeRun.signedHead(log: $0.run.log, seq: $0.run.last, head: $0.run.head, space: $0.space.space.id)
    return $0.run($0.changes, signature: $0.space.honest.device.signingKey.sign(message))
  }

  static let all: [Forgery] = [
    unsigned, truncated, byAnotherDevice,
    Forgery("signed over the head before") { $0.run($0.changes, signature: $0.changes[1].signature) },
    Forgery("signed for another number") {
      $0.run($0.changes, signature: $0.space.liar.signature(of: $0.run.last + 1, $0.run.head))
    },
    Forgery("signed for another log") {
      let other = RawLog(space: $0.space.space.id, device: $0.space.liar.device, random: .zero)
      return $0.run($0.changes, signature: other.signature(of: $0.run.last, $0.run.head))
    },
    Forgery("signed for another space") {
      let message = ChangeRun.signedHead(log: $0.run.log, seq: $0.run.last, head: $0.run.head, space: .zero)
      return $0.run($0.changes, signature: $0.space.liar.device.signingKey.sign(message))
    },
    Forgery("signed for another purpose") {
      let head = ChangeRun.signedHead(log: $0.run.log, seq: $0.run.last, head: $0.run.head, space: $0.space.space.id)
      let content = Array(head.dropFirst(Array("OT head 1\0".utf8).count + 32))
      let message = SignaturePurpose.channel.message($0.space.space.id, content)
      return $0.run($0.changes, signature: $0.space.liar.device.signingKey.sign(message))
    },
    Forgery("a bit of the signature differs") {
      var bytes = $0.run.signature?.bytes ?? []
      bytes[40] ^= 1
      return $0.run($0.changes, signature: Signature(bytes))
    },
    Forgery("two of its changes in the other order") {
      let bodies = [$0.changes[1].body[...], $0.changes[0].body[...], $0.changes[2].body[...]]
      return ChangeRun(
        log: $0.run.log, first: $0.run.first, hashBefore: $0.run.hashBefore, bodies: bodies,
        signature: $0.run.signature)
    },
    Forgery("a byte of its first change differs") {
      var bodies = $0.run.bodies
      bodies[0] = RawChange(stamp: .at(3_001), operations: [.increment("n", by: 2)]).body[...]
      return ChangeRun(
        log: $0.run.log, first: $0.run.first, hashBefore: $0.run.hashBefore, bodies: bodies,
        signature: $0.run.signature)
    },
    Forgery("further changes behind what the device signed") {
      var log = $0.space.liar
      for record in $0.changes { try log.append(body: record.body) }
      let more = try log.write([.increment("n", by: 1_000)], stamp: .at(4_000))
      return $0.run($0.changes + [more], signature: $0.run.signature)
    },
    Forgery("a branch of the log by another device") {
      let body = RawChange(stamp: .at(3_001), operations: [.increment("n", by: 2)]).body
      var run = $0.space.liar.run(of: [body])
      let message = ChangeRun.signedHead(log: run.log, seq: run.last, head: run.head, space: $0.space.space.id)
      run.signature = $0.space.honest.device.signingKey.sign(message)
      return run
    },
    Forgery("a log that another device introduces in the name of this one") {
      // The id follows from the victim's key, so the introduction has to name it; then it has to be signed with it.
      let victim = $0.space.liar.device
      var log = RawLog(space: $0.space.space.id, device: victim, random: Bytes16(repeatElement(9, count: 16)))
      try log.introduce(name: "x", parents: [$0.space.liar.records[0].parent], stamp: .at(3_000))
      var run = log.run
      let message = ChangeRun.signedHead(log: run.log, seq: 0, head: run.head, space: $0.space.space.id)
      run.signature = $0.space.honest.device.signingKey.sign(message)
      return run
    },
    Forgery("a log whose introduction is another device's") {
      let log = RawLog(
        space: $0.space.space.id, device: $0.space.liar.device, random: Bytes16(repeatElement(9, count: 16)))
      let thief = $0.space.honest.device
      let introduction = Introduction(
        random: log.random, deviceKey: thief.key, boxKey: thief.boxKey, deviceName: "x", standing: .open)
      let change = Change(
        parents: [$0.space.honest.records[0].parent], stamp: .at(3_000), wallTime: 0, introduction: introduction)
      var run = log.run(of: [change.body])
      let message = ChangeRun.signedHead(log: run.log, seq: 0, head: run.head, space: $0.space.space.id)
      run.signature = thief.signingKey.sign(message)
      return run
    },
    Forgery("a log of a device whose key is no key") {
      // The neutral element: whoever verifies carelessly takes R = S·B for a signature of anything.
      let key = Bytes32([1] + [UInt8](repeating: 0, count: 31))
      let random = Bytes16(repeatElement(9, count: 16))
      let introduction = Introduction(
        random: random, deviceKey: key, boxKey: .zero, deviceName: "x", standing: .open)
      let change = Change(
        parents: [$0.space.space.registration.parent], stamp: .at(3_000), wallTime: 0, introduction: introduction)
      return ChangeRun(
        log: introduction.logID(space: $0.space.space.id), first: 0, hashBefore: $0.space.space.id,
        bodies: [change.body[...]], signature: Signature(key.bytes + [UInt8](repeating: 0, count: 32)))
    },
  ]
}
