import OfflineTree
import Replicator
import TestSupport
import Testing

/// The scenarios in `fixtures/`, with every change going through the bytes of segments.
@Suite struct SegmentFixtureTests {
  @Test(arguments: Fixtures.scenarioNames)
  func `devices that exchange segments show what the fixture says`(name: String) throws {
    let scenario = try Fixtures.scenario(name)
    let expected = try #require(scenario.expect)
    let run = try DatabaseScenario(scenario, seed: 1, exchange: SegmentFixtureTests.exchange)
    let outcome = try run.outcome()
    #expect(outcome == expected, "\(scenario.name)")
  }

  private static func exchange(from: Database, to: Database, random: inout SeededRandom) throws {
    var outgoing = try from.outgoing(to: try to.clock())
    while true {
      let bytes = random.pick([1, 200, 1 << 16])
      let runs = try outgoing.next(maximumBytes: bytes, from: from)
      if runs.isEmpty { return }
      var received = try runs.map { run in
        try Segment(decoding: try Segment.encode(run, space: from.spaceID), space: to.spaceID).run
      }
      if random.chance(30) { received.shuffle(using: &random) }
      if random.chance(30) { received += received }
      let reception = try to.receive(received, keepBlocked: true)
      #expect(reception.refused.isEmpty)
    }
  }

  @Test func `the golden segment is written and read as it was`() throws {
    let (genesis, founder, other) = try Golden.logs()
    let runs = [founder, other].map { log in
      ChangeRun(
        log: log.id, first: 0, hashBefore: genesis.spaceID, bodies: log.records.map { $0.body[...] },
        signature: Signature(0..<64))
    }
    let made = try runs.enumerated().map { index, run in
      Golden.Item(
        "segment of \(run.bodies.count) changes of the log \(run.log)",
        try Segment.encode(run, space: genesis.spaceID))
    }
    let items = try Golden("segment").items(recording: made)
    #expect(items == made)
    for (item, run) in zip(items, runs) {
      #expect(try Segment(decoding: item.bytes, space: genesis.spaceID).run == run)
    }
  }
}
