import TestSupport
import Testing

@testable import OfflineTree

/// What is noted as needed, and what is never dropped.
@Suite struct NeedTests {
  private static let block: UInt64 = 4
  private static let dropper = 2

  /// The founder keeps all; the second has written; the third has dropped what of it it may.
  private func fleet(_ write: (Database) throws -> Void = { try NeedTests.count(40, on: $0) }) throws -> Fleet {
    let fleet = try Fleet(3, seed: 12)
    try fleet[Self.dropper].keepLittle(block: Self.block)
    for index in 0..<2 { try fleet[index].setHistoryBlock(Self.block) }
    try fleet.send(from: 1, to: 0)
    try write(fleet[1])
    try fleet.meetAll()
    try fleet[Self.dropper].drop(keepers: [fleet[0]])
    return fleet
  }

  private static func count(_ times: Int, on database: Database) throws {
    for _ in 0..<times { try database.write { try $0.increment(Path("n"), by: .int(1)) } }
  }

  private func note(_ numbers: ClosedRange<UInt64>, on database: Database, of device: Bytes32) throws {
    try database.submit { rows, state in
      let log = try #require(state.indicesByDevice[device]?.first)
      let missing = MissingChanges(log: log, first: numbers.lowerBound, last: numbers.upperBound)
      try state.noteNeed(of: [missing], by: Replica.ownAct, rows)
    }
  }

  @Test func `what this device itself needs stays when all that waits is looked at again`() throws {
    let fleet = try fleet()
    let database = fleet[Self.dropper]
    #expect(try database.wantedHistory(limit: 100).isEmpty)
    try note(5...13, on: database, of: fleet[1].deviceKey)
    let wanted = try database.wantedHistory(limit: 100)
    #expect(wanted.map(\.first) == [4, 8, 12])
    try database.submit { rows, state in
      state.mustRetryWaiting = true
      _ = try state.receive([], keepBlocked: true, rows)
      try state.flush(rows)
    }
    #expect(try database.wantedHistory(limit: 100) == wanted)
    #expect(try database.drop(keepers: [fleet[0]]).droppedChanges == 0, "nothing goes while something is needed")
    #expect(try database.fetch(from: fleet[0]) > 0)
    #expect(try database.wantedHistory(limit: 100).isEmpty)
    // An act that finds that all of it is here by now needs nothing.
    try note(5...13, on: database, of: fleet[1].deviceKey)
    #expect(try database.wantedHistory(limit: 100).isEmpty)
  }

  @Test func `a need that is noted again with less stays what it was`() throws {
    let fleet = try fleet()
    try note(5...13, on: fleet[Self.dropper], of: fleet[1].deviceKey)
    try note(13...13, on: fleet[Self.dropper], of: fleet[1].deviceKey)
    #expect(try fleet[Self.dropper].wantedHistory(limit: 100).map(\.first) == [4, 8, 12])
  }

  @Test func `what comes back takes nothing from what else is needed`() throws {
    let fleet = try fleet()
    let database = fleet[Self.dropper]
    try note(5...11, on: database, of: fleet[1].deviceKey)
    try note(9...15, on: database, of: fleet[1].deviceKey)
    let last = try #require(try database.wantedHistory(limit: 100).last)
    #expect(last.first == 12)
    // The second one then ends where the first one does.
    #expect(try database.fill([try #require(try fleet[0].historyRun(last))]).filled == 4)
    #expect(try database.wantedHistory(limit: 100).map(\.first) == [4, 8])
  }

  @Test func `on the word of members alone nothing is dropped`() throws {
    let fleet = try Fleet(3, seed: 12)
    try fleet[Self.dropper].keepLittle(block: Self.block)
    try fleet[1].setHistoryRetention(.all)
    try fleet[0].setHistoryRetention(.days(3))
    for index in 0..<2 {
      try fleet.meetAll()
      try fleet[index].upkeep()
    }
    try Self.count(40, on: fleet[1])
    try fleet.meetAll()
    #expect(try fleet[Self.dropper].keepers() == [fleet[1].deviceKey])
    #expect(try fleet[Self.dropper].drop(keepers: [fleet[1]]).droppedChanges == 0)
    try fleet[0].setHistoryRetention(.all)
    try fleet[0].upkeep()
    try fleet.meetAll()
    #expect(try fleet[Self.dropper].drop(keepers: [fleet[0], fleet[1]]).droppedChanges > 0)
  }

  @Test func `a block that is too large to be fetched stays with everybody, and those behind it go`() throws {
    let text = String(repeating: "x", count: 9 << 20)
    let fleet = try fleet { database in
      // The introduction and these are the first block.
      for _ in 0..<3 { try database.write { try $0.setValue(NewValue(Scalar.string(text)), at: Path("large")) } }
      for _ in 0..<4 { try database.write { try $0.setValue(NewValue(Scalar.string(text)), at: Path("large")) } }
      try Self.count(12, on: database)
    }
    let database = fleet[Self.dropper]
    let ranges = try database.view { _, replica in
      replica.logs[try #require(replica.indicesByDevice[fleet[1].deviceKey]?.first)].dropped.ranges
    }
    #expect(ranges == [0..<4, 8..<20])
    // The keeper does not open it for whoever asks either.
    let positions = try Fleet.records(of: fleet[0]).filter { $0.log == (try? fleet[1].ownPosition()?.log) }
    let (before, last) = (positions[3], positions[7])
    let gap = HistoryGap(log: last.log, first: 4, last: 7, hashBefore: before.hash, head: last.hash)
    #expect(try fleet[0].historyRun(gap) == nil)
    try fleet.expectConverged()
  }
}
