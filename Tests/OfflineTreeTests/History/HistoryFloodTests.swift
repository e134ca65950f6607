import TestSupport
import Testing

@testable import OfflineTree

/// A member that sends changes which need dropped history, as many as it can.
@Suite struct HistoryFloodTests {
  private let space: ModelSpace
  private let keeper: Listener
  private let dropper: Listener
  private let liar: Int
  private let old: RawLog

  init() throws {
    let space = try ModelSpace(devices: ["a", "b", "c"], addOnlySets: [], flags: [], seed: 5)
    let others = space.logs.indices.filter { $0 != space.founder }
    liar = others[0]
    var old = space.logs[others[1]]
    for number in 0..<64 {
      try old.write(
        [.increment(PathKey("n"), by: .int(1))], stamp: Stamp(milliseconds: UInt64(10_000 + number), counter: 0))
    }
    self.old = old
    (keeper, dropper) = (try Listener(space, seed: 1), try Listener(space, seed: 2))
    for listener in [keeper, dropper] {
      try listener.receive(space.introductions + old.records)
    }
    self.space = space
    try dropper.database.keepLittle(block: 4)
    let clock = KeeperClock(
      device: space.logs[space.founder].device.key, home: .zero, clock: try keeper.database.clock())
    #expect(try dropper.database.compact(keepers: [clock]).droppedChanges >= 60)
  }

  private func needs() throws -> Int { try dropper.database.view { rows, _ in try rows.count(.need) } }

  /// Changes of the liar's log that name changes that never were, among the dropped ones.
  private func lies(_ count: Int) throws -> [Record] {
    var log = space.logs[liar]
    return try (0..<count).map { number in
      let seen = old.records[1 + number % 60]
      let lie = Change.Parent(log: old.id, seq: seen.seq, hash: number % 2 == 0 ? .zero : seen.parent.hash)
      let stamp = Stamp(milliseconds: UInt64(20_000 + number), counter: 0)
      return try log.append(
        Change(
          parents: [lie], stamp: stamp, wallTime: 20_000, operations: [.increment(PathKey("m"), by: .int(1))]))
    }
  }

  @Test func `what it names is asked for once, and what cannot be waits like any other`() throws {
    let lies = try lies(600)
    for start in stride(from: 0, to: lies.count, by: 50) { try dropper.receive(Array(lies[start..<start + 50])) }
    let wanted = try dropper.database.wantedHistory(limit: 1_000)
    #expect(wanted.count <= 16)
    #expect(try needs() <= lies.count)
    try dropper.database.fetch(from: keeper.database)
    #expect(try dropper.database.wantedHistory(limit: 1).isEmpty)
    #expect(try needs() == 0)
    #expect(try dropper.database.history().droppedChanges > 0, "only what was named came back")
    try keeper.receive(lies)
    #expect(try dropper.database.clock() == keeper.database.clock())
    #expect(try dropper.database.stateHash() == keeper.database.stateHash())
  }

  @Test func `what there is no room for is asked for all the same, within a bound, and is taken when it comes again`()
    throws
  {
    let (lies, log) = (try lies(60), space.logs[liar].id)
    let room = Limits.waitingBytesPerLog
    try dropper.database.submit { _, state in state.waiting.add(room, of: log) }
    for _ in 0..<3 { try dropper.receive(lies) }
    #expect(try dropper.database.view { rows, _ in try rows.isEmpty(.waiting) })
    #expect(try (1...Replica.roomlessNeeds).contains(needs()))
    #expect(try dropper.database.read { try $0.status() }.waitingForHistory == 0)
    let wanted = try dropper.database.wantedHistory(limit: 1_000)
    #expect((1...16).contains(wanted.count))
    // What waits is looked at again: the need is nobody's that waits, and stays.
    try dropper.database.submit { rows, state in
      state.waiting = Replica.WaitingRoom()
      state.mustRetryWaiting = true
      _ = try state.receive([], keepBlocked: true, rows)
      try state.flush(rows)
    }
    #expect(try dropper.database.wantedHistory(limit: 1_000) == wanted)
    try dropper.database.fetch(from: keeper.database)
    #expect(try needs() == 0)
    for listener in [dropper, keeper] { try listener.receive(lies) }
    #expect(try dropper.database.clock() == keeper.database.clock())
  }

  @Test func `needs that there is no room for are bounded, and none displaces another`() throws {
    let database = dropper.database
    try database.submit { [old] rows, state in
      let log = try #require(state.indices[old.id]?.first)
      for first in stride(from: UInt64(0), to: 60, by: 1) {
        for last in first..<60 {
          let missing = [MissingChanges(log: log, first: first, last: last)]
          try state.noteRoomlessNeed(of: missing, rows)
        }
      }
      #expect(try rows.count(.need) <= Replica.roomlessNeeds)
      try state.noteRoomlessNeed(of: [.everything], rows)
      try state.noteRoomlessNeed(of: [MissingChanges(log: 1_000, first: 0, last: 1)], rows)
    }
    #expect(try database.wantedHistory(limit: 1_000).count >= 15)
    try database.fetch(from: keeper.database)
    #expect(try needs() == 0)
  }

  @Test func `what there was no room for holds no compaction up`() throws {
    let (lies, log) = (try lies(60), space.logs[liar].id)
    try dropper.database.submit { _, state in state.waiting.add(Limits.waitingBytesPerLog, of: log) }
    try dropper.receive(lies)
    #expect(try needs() > 0)
    var old = old
    for number in 0..<50 {
      try old.write(
        [.increment(PathKey("n"), by: .int(1))], stamp: Stamp(milliseconds: UInt64(30_000 + number), counter: 0))
    }
    for listener in [keeper, dropper] { try listener.receive(Array(old.records.suffix(50))) }
    let clock = KeeperClock(
      device: space.logs[space.founder].device.key, home: .zero, clock: try keeper.database.clock())
    #expect(try dropper.database.compact(keepers: [clock]).droppedChanges >= 40)
    #expect(try needs() == 0, "it is noted anew when it is sent again")
    try dropper.receive(lies)
    #expect(try needs() > 0)
  }

  @Test func `others go on beside it`() throws {
    try dropper.receive(try lies(100))
    var log = old
    for number in 0..<50 {
      try log.write(
        [.increment(PathKey("n"), by: .int(1))], stamp: Stamp(milliseconds: UInt64(30_000 + number), counter: 0))
    }
    let reception = try dropper.receive(Array(log.records.suffix(50)))
    #expect(reception.applied == 50 && reception.wanted.isEmpty)
  }

  @Test func `what is no part of a gap fills nothing`() throws {
    try dropper.receive(try lies(4))
    let before = try dropper.database.history().droppedChanges
    var forged = old.prefix(1)
    for number in 0..<63 {
      try forged.write(
        [.increment(PathKey("n"), by: .int(2))], stamp: Stamp(milliseconds: UInt64(10_000 + number), counter: 0))
    }
    let run = try #require(ChangeRun(Array(forged.records)))
    #expect(try dropper.database.fill([run]).filled == 0)
    let gap = try #require(try dropper.database.wantedHistory(limit: 1).first)
    let part = try #require(try keeper.database.historyRun(gap))
    let shorter = ChangeRun(
      log: part.log, first: part.first, hashBefore: part.hashBefore, bodies: Array(part.bodies.dropLast()))
    #expect(try dropper.database.fill([shorter]).filled == 0)
    let other = HistoryGap(log: gap.log, first: gap.first, last: gap.last, hashBefore: .zero, head: gap.head)
    #expect(try keeper.database.historyRun(other) == nil && dropper.database.historyRun(gap) == nil)
    #expect(try dropper.database.history().droppedChanges == before)
    #expect(try dropper.database.fill([part]).filled == 4)
  }
}
