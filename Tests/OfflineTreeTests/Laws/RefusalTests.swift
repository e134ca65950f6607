import OfflineTree
import TestSupport
import Testing

/// Bytes that do not decode, or that break the chain, are refused; what is sound beside them counts.
@Suite struct RefusalTests {
  private func listener(_ space: LiarSpace) throws -> Listener {
    let listener = try Listener(space.genesis, space: space.space.id)
    try listener.receive(space.records)
    return listener
  }

  private func run(_ log: RawLog, at seq: UInt64? = nil, before: Bytes32? = nil, _ bodies: [[UInt8]]) -> ChangeRun {
    ChangeRun(
      log: log.id, first: seq ?? UInt64(log.records.count), hashBefore: before ?? log.tip?.hash ?? log.space,
      bodies: bodies.map { $0[...] })
  }

  @Test func `bytes that do not decode are refused, and the sound ones before them and beside them count`() throws {
    var space = try LiarSpace()
    let listener = try listener(space)
    let good = try space.liar.write([.put("before", 1)], stamp: .at(3_000))
    let beside = try space.honest.write([.put("beside", 1)], stamp: .at(3_000))
    let bad = ChangeRun(
      log: good.log, first: good.seq, hashBefore: good.previous,
      bodies: [good.body[...], [0, 0xFF, 1], good.body[...]])
    let reception = try listener.database.receive([bad, beside.run], keepBlocked: true)
    #expect(reception.applied == 2)
    #expect(reception.refused.map(\.log) == [space.liar.id])
    #expect(reception.refused.map(\.first) == [good.seq + 1])
    let value = try listener.database.read { try $0.value(at: .root) }
    #expect(value["before"] == .int(1) && value["beside"] == .int(1))
  }

  @Test func `a change behind another one's hash waits for a change that nobody has`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let clock = try listener.database.clock()
    let body = Change(parents: [], stamp: .at(3_000), wallTime: 0, operations: [.put("note", 1)]).body
    let broken = run(space.liar, before: Bytes32(repeatElement(1, count: 32)), [body])
    let reception = try listener.database.receive([broken], keepBlocked: true)
    #expect(reception.applied == 0)
    #expect(reception.blocked.map(\.reason) == [.missingPrevious])
    #expect(try listener.database.clock() == clock)
  }

  @Test func `a log that begins without its introduction, or with another log's, is refused`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let log = RawLog(
      space: space.space.id, deviceKey: space.liar.deviceKey, random: Bytes16(repeatElement(8, count: 16)))
    let put = Change(parents: [], stamp: .at(3_000), wallTime: 0, operations: [.put("note", 1)]).body
    let foreign = space.honest.records[0].body
    for body in [put, foreign] {
      let reception = try listener.database.receive(
        [run(log, at: 0, before: space.space.id, [body])], keepBlocked: true)
      #expect(reception.refused.count == 1)
      #expect(reception.applied == 0)
    }
  }

  @Test func `an introduction in the middle of a log is refused`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let reception = try listener.database.receive([run(space.liar, [space.liar.records[0].body])], keepBlocked: true)
    #expect(reception.refused.count == 1)
  }

  @Test func `a log of another space, and another space's genesis, are refused`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let other = try ModelSpace(devices: ["x", "y"], seed: 77)
    for record in other.introductions {
      let reception = try listener.database.receive([record.run], keepBlocked: true)
      #expect(reception.refused.count + reception.blocked.count == 1)
      #expect(reception.applied == 0)
    }
    let replayed = run(other.logs[other.founder], at: 0, before: space.space.id, [other.introductions[0].body])
    #expect(try listener.database.receive([replayed], keepBlocked: true).refused.count == 1)
  }

  @Test func `numbers at the end of their range do no harm`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let body = Change(parents: [], stamp: .at(3_000), wallTime: 0, operations: [.put("note", 1)]).body
    let last = run(space.liar, at: .max, [body])
    let beyond = run(space.liar, at: .max, [body, body])
    let reception = try listener.database.receive([last, beyond], keepBlocked: true)
    #expect(reception.applied == 0)
    #expect(reception.refused.count + reception.blocked.count == 2)
  }

  @Test func `what was written by a newer version waits on disk, is told, and is passed on`() throws {
    var space = try LiarSpace()
    let listener = try listener(space)
    let strange = try space.liar.append(
      body: RawChange(stamp: .at(3_000), rawOperations: [(kind: 0x7F, body: [1])]).body)
    let reception = try listener.receive([strange])
    #expect(reception.blocked.map(\.reason) == [.unknownVersion])
    let status = try listener.database.read { try $0.status() }
    #expect(status.waitingCount == 1)
    #expect(status.waitsForUpdate)
    let passedOn = try Fleet.records(of: listener.database).contains { $0.hash == strange.hash }
    #expect(passedOn)
  }

  @Test func `a fork is told, with its log`() throws {
    var space = try LiarSpace()
    let listener = try listener(space)
    var other = space.liar
    try listener.receive([try space.liar.write([.increment("n", by: 1)], stamp: .at(3_000))])
    let reception = try listener.receive([try other.write([.increment("n", by: 2)], stamp: .at(3_000))])
    #expect(reception.forked == [space.liar.id])
    let status = try listener.database.read { try $0.status() }
    #expect(status.forks == [space.liar.id])
  }
}
