import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// A folder in which a log has branches.
@Suite struct FolderForkTests {
  /// Five changes of a stranger's log, which then goes on twice: with five changes, and with three.
  private func fork(_ database: Database) throws -> [Record] {
    let genesis = try #require(try database.clock().positions.first)
    let parent = Change.Parent(log: genesis.log, seq: genesis.seq, hash: genesis.hash.prefix16)
    var log = RawLog(space: database.spaceID, device: TestDevice(7), random: Bytes16.zero)
    let start = Stamp(milliseconds: genesisTime, counter: 0)
    try log.introduce(name: "stranger", parents: [parent], stamp: start)
    func go(_ log: inout RawLog, _ count: Int, _ name: String) throws {
      for number in 0..<count {
        let seq = log.records.count
        try log.write(
          [.put(PathKey("x/\(name)\(number)"), .int(1))],
          stamp: Stamp(milliseconds: genesisTime + UInt64(seq), counter: 0))
      }
    }
    try go(&log, 4, "common")
    var (left, right) = (log, log)
    try go(&left, 5, "left")
    try go(&right, 3, "right")
    return left.records + right.records.dropFirst(5)
  }

  private let genesisTime: UInt64 = 1_900_000_000_000

  @Test func `a folder that holds the branches of a forked log is not written again`() throws {
    let homes = try TestHomes()
    let (first, second) = (try homes.make("first"), try homes.make("second"))
    let reception = try first.receive(try fork(first).map(\.run), keepBlocked: true)
    #expect(reception.forked.count == 1)
    #expect(try sync(first, homes.shared).sent > 0)
    #expect(try sync(first, homes.shared).sent == 0)
    #expect(try sync(second, homes.shared).sent == 0)
    try expectEqual([first, second])
  }
}
