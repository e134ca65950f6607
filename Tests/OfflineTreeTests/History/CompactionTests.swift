import TestSupport
import Testing

@testable import OfflineTree

/// Compressing and dropping, in pieces, and what is on the disk between them.
@Suite struct CompactionTests {
  private let path = PathKey("n").path

  /// A log of many changes, in two homes.
  private func fleet(_ count: Int) throws -> Fleet {
    let fleet = try Fleet(3, seed: 3)
    try fleet.send(from: 1, to: 0)
    for number in 0..<count {
      try fleet[1].write([.increment(PathKey("n/\(number % 7)").path, .int(1))])
    }
    try fleet.meetAll()
    return fleet
  }

  private func rows(_ database: Database) throws -> [StoredRun.Form: Int] {
    try database.view { rows, _ in
      try rows.withCursor(.run) { (cursor) throws(TreeError) in
        var forms: [StoredRun.Form: Int] = [:]
        while try cursor.next() {
          forms[try StoredRun(key: cursor.keyBytes, row: cursor.valueBytes).form, default: 0] += 1
        }
        return forms
      }
    }
  }

  @Test func `whole blocks are packed, and what was in them stays the same`() throws {
    let fleet = try fleet(2_100)
    let before = try Fleet.records(of: fleet[0]).map(\.hash)
    let plain = try fleet[0].history().plainBytes
    let report = try fleet[0].compact(keepers: [])
    #expect(report.packedChanges == 2_048 && report.droppedChanges == 0)
    #expect(report.bytesAfter * 3 < report.bytesBefore)
    let status = try fleet[0].history()
    #expect(status.packedBytes > 0 && status.plainBytes + status.packedBytes < plain / 2)
    #expect(try Fleet.records(of: fleet[0]).map(\.hash) == before)
    #expect(try fleet[0].verify().problems.isEmpty)
    #expect(try fleet[0].compact(keepers: []) == CompactionReport(), "there is nothing left to do")
    try fleet.reopen(0)
    #expect(try fleet[0].compact(keepers: []) == CompactionReport())
    try fleet.expectConverged()
  }

  @Test func `small packed rows grow with what comes`() throws {
    let fleet = try Fleet(2, seed: 4)
    try fleet[1].setHistoryBlock(4)
    for _ in 0..<10 {
      for _ in 0..<9 { try fleet[1].write([.increment(path, .int(1))]) }
      _ = try fleet[1].compact(keepers: [])
    }
    #expect(try rows(fleet[1])[.packed] == 1)
    #expect(try fleet[1].verify().problems.isEmpty)
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `large changes are packed before they are a block`() throws {
    let fleet = try Fleet(2, seed: 5)
    let (path, text) = (path, String(repeating: "a joke ", count: 20_000))
    for _ in 0..<20 { try fleet[1].write { try $0.setValue(NewValue(Scalar.string(text)), at: path) } }
    #expect(try fleet[1].compact(keepers: []).packedChanges >= 20)
    #expect(try rows(fleet[1])[.packed] ?? 0 > 1)
    #expect(try fleet[1].compact(keepers: []) == CompactionReport())
    try fleet[1].write([.increment(PathKey("m").path, .int(1))])
    #expect(try fleet[1].compact(keepers: []) == CompactionReport())
    #expect(try fleet[1].verify().problems.isEmpty)
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  @Test func `forks, clears and new logs find what they need in packed rows`() throws {
    let fleet = try fleet(300)
    for index in 0..<3 {
      try fleet[index].setHistoryBlock(8)
      _ = try fleet[index].compact(keepers: [])
    }
    try fleet.clone(1)
    for index in [1, 3] {
      for _ in 0..<20 { try fleet[index].write([.increment(PathKey("n/1").path, .int(1))]) }
    }
    try fleet[2].write([.remove(path)])
    try fleet.meetAll()
    for index in 0..<4 { _ = try fleet[index].compact(keepers: []) }
    try fleet.meetAll()
    try fleet.expectConverged()
  }

  /// As a power loss would leave it: the files as they are between two commits.
  @Test func `a home is whole after each piece of a compaction`() throws {
    let fleet = try fleet(1_100)
    try fleet[2].keepLittle(block: 64)
    let (clock, hash) = try (fleet[2].clock(), fleet[2].stateHash())
    fleet.close(2)
    var environment = fleet.members[2].clock.environment
    let ticks = Monitor<UInt64>(0)
    // Each look at the clock finds that the time is over: one piece a commit.
    environment.monotonicClock = {
      ticks.withLock {
        $0 += 1_000_000_000
        return $0
      }
    }
    let home = fleet.members[2].home
    let database = try Database.open(at: home, environment: environment, options: Fleet.options)
    let keeper = KeeperClock(device: fleet[0].deviceKey, home: .zero, clock: try fleet[0].clock())
    var copies: [String] = []
    let report = try database.compact(keepers: [keeper]) { _, _ in
      let copy = "\(fleet.folder.path)/piece\(copies.count)"
      try? fleet.folder.copy(home, to: copy)
      copies.append(copy)
    }
    #expect(report.droppedChanges >= 1_024 && copies.count > 4)
    database.close()
    var dropped: Set<UInt64> = []
    for copy in copies {
      let piece = try Database.open(at: copy, environment: environment, options: Fleet.options)
      defer { piece.close() }
      #expect(try piece.verify().problems.isEmpty)
      #expect(try piece.clock() == clock && piece.stateHash() == hash)
      dropped.insert(try piece.history().droppedChanges)
      // It goes on from there.
      _ = try piece.compact(keepers: [keeper])
      #expect(try piece.history().droppedChanges == UInt64(report.droppedChanges))
    }
    #expect(dropped.count > 1)
    try fleet.reopen(2)
  }
}
