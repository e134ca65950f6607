import TestSupport
import Testing

@testable import OfflineTree

/// Changes that wait, so many that to look at them all again would stop everything else.
@Suite struct WaitingFloodTests {
  private let space: ModelSpace

  init() throws { space = try ModelSpace(devices: ["a", "b", "c"], addOnlySets: [], flags: [], seed: 5) }

  private var others: [RawLog] { space.logs.indices.filter { $0 != space.founder }.map { space.logs[$0] } }

  private func ghost(_ number: UInt64) -> Change.Parent {
    Change.Parent(log: Bytes16(repeatElement(1, count: 16)), seq: number, hash: Bytes16(repeatElement(2, count: 16)))
  }

  /// Runs of one log, each of which waits for a change that never comes.
  private func flood(_ count: Int) -> [ChangeRun] {
    (0..<count).map { number in
      let change = Change(
        parents: [ghost(UInt64(number))], stamp: Stamp(milliseconds: 9_000, counter: 0), wallTime: 0)
      return others[0].run(of: [change.body])
    }
  }

  @Test func `what waits is not touched by what it does not wait for`() throws {
    let listener = try Listener(space)
    try listener.receive(space.introductions)
    let runs = flood(500)
    #expect(try listener.receive(runs).blocked.count == 500)
    let database = listener.database
    let before = try database.read { try $0.status() }
    #expect(before.waitingCount == 500)
    var honest = others[1]
    for number in 0..<3 {
      let record = try honest.write(
        [.increment(PathKey("n"), by: .int(1))], stamp: Stamp(milliseconds: 10_000 + UInt64(number), counter: 0))
      #expect(try listener.receive([record]).applied == 1)
    }
    try database.submit { rows, state in
      // Nothing was taken out, to be looked at and put back.
      #expect(state.freed.isEmpty && !state.mustRetryWaiting)
      let (awaited, waiting) = (try rows.count(.awaited), try rows.count(.waiting))
      #expect(awaited == 500 && waiting == 500)
    }
  }

  @Test func `what waits is found by what it waits for, whatever the order`() throws {
    var random = SeededRandom(seed: 9)
    for _ in 0..<10 {
      var logs = others
      // Each change had seen the other log's last one.
      for turn in 0..<60 {
        let seen = logs[(turn + 1) % 2].records.last
        try logs[turn % 2].write(
          [.increment(PathKey("n"), by: .int(1))], seeing: turn == 0 ? [] : [try #require(seen)],
          stamp: Stamp(milliseconds: UInt64(10_000 + turn), counter: 0))
      }
      let listener = try Listener(space)
      for record in (logs[0].records + logs[1].records).shuffled(using: &random) { try listener.receive([record]) }
      try listener.receive(space.introductions)
      #expect(try listener.database.read { try $0.status() }.waitingCount == 0)
      #expect(try listener.database.read { try $0.scalar(at: PathKey("n").path) } == .int(60))
      try listener.database.submit { rows, state in
        let awaited = try rows.count(.awaited)
        #expect(awaited == 0 && state.waiting.isEmpty)
      }
    }
  }

  @Test func `one look at each change is enough for a long chain that comes in the wrong order`() throws {
    var logs = others
    for turn in 0..<400 {
      let seen = logs[(turn + 1) % 2].records.last
      try logs[turn % 2].write(
        [.increment(PathKey("n"), by: .int(1))], seeing: turn == 0 ? [] : [try #require(seen)],
        stamp: Stamp(milliseconds: UInt64(10_000 + turn), counter: 0))
    }
    let listener = try Listener(space)
    let runs = (logs[0].records + logs[1].records).map(\.run)
    #expect(try listener.receive(space.introductions.map(\.run) + runs.reversed()).applied > 400)
    #expect(try listener.database.read { try $0.scalar(at: PathKey("n").path) } == .int(400))
  }
}
