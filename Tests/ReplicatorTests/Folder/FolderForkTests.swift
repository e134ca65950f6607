import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// A folder in which a log has branches.
@Suite struct FolderForkTests {
  /// Five changes of another member's log, which then goes on twice: with five changes, and with three.
  private func fork(_ database: Database, _ invite: Invite) throws -> [Record] {
    let device = TestDevice(7)
    var log = RawLog(space: database.spaceID, device: device, random: Bytes16.zero)
    let message = Introduction.joinMessage(
      space: database.spaceID, deviceKey: device.key, boxKey: device.boxKey, random: log.random)
    let seen = invite.registration
    try log.introduce(
      name: "other", standing: .join(invite: invite.publicKey, invite.sign(message)),
      parents: [Change.Parent(log: seen.log, seq: seen.seq, hash: seen.hash)],
      stamp: Stamp(milliseconds: genesisTime, counter: 0))
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
    let reception = try first.receive(try fork(first, try #require(homes.invite)).map(\.run), keepBlocked: true)
    #expect(reception.forked.count == 1)
    #expect(try sync(first, homes.shared).sent > 0)
    #expect(try sync(first, homes.shared).sent == 0)
    #expect(try sync(second, homes.shared).sent == 0)
    try expectEqual([first, second])
  }
}
