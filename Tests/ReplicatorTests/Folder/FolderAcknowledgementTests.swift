import OfflineTree
import Testing

@testable import Replicator

/// What homes say of themselves, and what others say in their names.
@Suite struct FolderAcknowledgementTests {
  let homes: TestHomes
  let first: Database
  let second: Database

  init() throws {
    homes = try TestHomes()
    first = try homes.make("first")
    second = try homes.make("second")
  }

  /// What anybody who has the key can write.
  private func acknowledgement(
    _ number: Int, of device: Bytes32, home: Bytes16? = nil, counter: UInt64 = 1, _ clock: VectorClock
  ) -> Acknowledgement {
    let token = home ?? Sodium.hash16(Array(String(number).utf8))
    return Acknowledgement(
      peer: PeerIdentity(deviceKey: device, name: "somebody", homeToken: token), counter: counter, wallTime: 0,
      clock: clock)
  }

  private func clock(_ log: LogID, _ count: Int) -> VectorClock {
    VectorClock((0..<count).map { LogPosition(log: log, seq: UInt64($0), hash: .zero) })
  }

  @Test func `a flood of acknowledgements takes bounded room, and is told`() throws {
    var index = FolderIndex(root: homes.shared)
    let own = try #require(try first.ownPosition()).log
    index.interest = FolderIndex.Interest(home: first.homeToken, logs: [own])
    let flood = FolderIndex.maximumHomes + 100
    for number in 0..<flood {
      let said = clock(number.isMultiple(of: 100) ? own : .zero, 1_000)
      index.hear(acknowledgement(number, of: second.deviceKey, said), in: FolderName("x/\(number)"))
    }
    #expect(index.isUnheard && index.acknowledgements.count == FolderIndex.maximumHomes)
    let kept = index.acknowledgements.values.map(\.clock.positions.count)
    #expect(Set(kept) == [0, Acknowledgement.keptPositions])
    // A home that is known is heard all the same, and where nobody's file is left there is room for others.
    index.hear(acknowledgement(5, of: second.deviceKey, counter: 2, clock(own, 1)), in: FolderName("x/y"))
    #expect(index.acknowledgements.values.contains { $0.counter == 2 })
    _ = try index.refresh(try first.epochs(), now: 0)
    #expect(index.acknowledgements.isEmpty)
  }

  @Test func `what is known of homes takes bounded room in the database`() throws {
    var records = RemoteRecords(database: first)
    records.homesKept = 3
    let own = try #require(try first.ownPosition()).log
    func seen(_ number: Int) -> RemoteRecords.Seen {
      let said = acknowledgement(number, of: second.deviceKey, clock(own, number == 0 ? 1_000 : 0))
      return RemoteRecords.Seen(
        peer: said.peer, wallTime: 0, heardAt: Int64(number), positions: said.clock.positions)
    }
    for number in 0..<3 { try records.note(seen(number), remote: "folder /x") }
    #expect(try records.seen(by: "folder /x").map(\.positions.count).max() == Acknowledgement.keptPositions)
    for number in 3..<9 { try records.note(seen(number), remote: "folder /x") }
    #expect(try Set(records.seen(by: "folder /x").map(\.heardAt)) == [6, 7, 8], "who was heard of last")
  }

  @Test func `nobody else says what this home has`() throws {
    try post("a", on: first)
    let exchange = homes.exchange(first)
    #expect(exchange.exchange().error == nil)
    let keys = try first.epochs().current
    let forged = acknowledgement(0, of: first.deviceKey, home: first.homeToken, counter: .max, clock(.zero, 1))
    try FileSystem.makeDirectory("\(homes.shared)/other")
    try write(forged.sealed(keys, random: TestKeys.random), "\(homes.shared)/other/file.ack")
    let before = try files(below: homes.shared)
    for _ in 0..<3 { #expect(exchange.exchange().error == nil) }
    #expect(try files(below: homes.shared) == before)
    #expect(exchange.isQuiet)
    try post("b", on: first)
    #expect(exchange.exchange().error == nil)
    #expect(try exchange.index.acknowledgements[first.homeToken]?.clock == first.clock())
  }

  @Test func `who is no member, or is none any more, is no peer`() throws {
    for database in [first, second] { try sync(database, homes.shared) }
    let stranger = acknowledgement(0, of: Bytes32(repeatElement(9, count: 32)), try first.clock())
    try FileSystem.makeDirectory("\(homes.shared)/other")
    try write(
      stranger.sealed(try first.epochs().current, random: TestKeys.random), "\(homes.shared)/other/file.ack")
    #expect(try sync(first, homes.shared).peers.map(\.identity.deviceKey) == [second.deviceKey])
    try first.removeMembers([second.deviceKey])
    #expect(try sync(first, homes.shared).peers.isEmpty)
  }
}
