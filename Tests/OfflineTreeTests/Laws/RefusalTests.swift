import OfflineTree
import TestSupport
import Testing

/// Bytes that do not decode, or that break the chain, are refused; what is sound beside them counts.
@Suite struct RefusalTests {
  private func listener(_ space: LiarSpace) throws -> Listener {
    let listener = try Listener(space.space)
    try listener.receive(space.records)
    return listener
  }

  @Test func `bytes that do not decode are refused, and the sound ones before them and beside them count`() throws {
    var space = try LiarSpace()
    let listener = try listener(space)
    let good = try space.liar.write([.put("before", 1)], stamp: .at(3_000))
    let beside = try space.honest.write([.put("beside", 1)], stamp: .at(3_000))
    let bad = space.liar.run(of: [good.body, [1, 0xFF, 1], good.body], at: good.seq, after: good.previous)
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
    let broken = space.liar.run(of: [body], after: Bytes32(repeatElement(1, count: 32)))
    let reception = try listener.database.receive([broken], keepBlocked: true)
    #expect(reception.applied == 0)
    #expect(reception.blocked.map(\.reason) == [.missingPrevious])
    #expect(try listener.database.clock() == clock)
  }

  @Test func `a log that begins without its introduction, or with another log's, is refused`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let log = RawLog(space: space.space.id, device: space.liar.device, random: Bytes16(repeatElement(8, count: 16)))
    let put = Change(parents: [], stamp: .at(3_000), wallTime: 0, operations: [.put("note", 1)]).body
    let foreign = space.honest.records[0].body
    for body in [put, foreign] {
      let reception = try listener.database.receive(
        [log.run(of: [body])], keepBlocked: true)
      #expect(reception.refused.count == 1)
      #expect(reception.applied == 0)
    }
  }

  @Test func `an introduction in the middle of a log is refused`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let reception = try listener.database.receive([space.liar.run(of: [space.liar.records[0].body])], keepBlocked: true)
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
    let replayed = other.logs[other.founder].run(of: [other.beginning.body], at: 0, after: space.space.id)
    #expect(try listener.database.receive([replayed], keepBlocked: true).refused.count == 1)
  }

  @Test func `numbers at the end of their range do no harm`() throws {
    let space = try LiarSpace()
    let listener = try listener(space)
    let body = Change(parents: [], stamp: .at(3_000), wallTime: 0, operations: [.put("note", 1)]).body
    let last = space.liar.run(of: [body], at: .max)
    let beyond = space.liar.run(of: [body, body], at: .max)
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

  @Test func `changes that only a strange one behind them vouches for go from hand to hand with it`() throws {
    let space = try LiarSpace()
    let known = [2_000, 2_001].map { time in
      Change(parents: [], stamp: .at(time + 1_000), wallTime: 0, operations: [.increment("n", by: 1)]).body
    }
    let strange = RawChange(stamp: .at(4_000), rawOperations: [(kind: 0x7F, body: [1])]).body
    var runs = [space.liar.run(of: known + [strange])]
    for _ in 0..<3 {
      let listener = try listener(space)
      let reception = try listener.database.receive(runs, keepBlocked: true)
      #expect(reception.blocked.map(\.reason) == [.unknownVersion])
      #expect(reception.refused.isEmpty)
      #expect(try listener.database.read { try $0.scalar(at: Path("n")) } == .int(2))
      #expect(try listener.database.read { try $0.status() }.waitingCount == 1)
      runs = try Fleet.runs(of: listener.database)
    }
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
