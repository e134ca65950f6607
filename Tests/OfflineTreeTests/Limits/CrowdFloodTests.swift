import TestSupport
import Testing

@testable import OfflineTree

/// One invite, and somebody who introduces devices by it without end.
@Suite struct CrowdFloodTests {
  /// With many seeds more than a space delivers: that takes minutes in a debug build.
  private static let count = (Oracle.environment("OFFLINETREE_SEEDS").flatMap(Int.init) ?? 100) < 500 ? 1_000 : 20_000

  @Test func `a crowd is taken up to the limit, the rest waits, and the space goes on`() throws {
    let space = try ModelSpace(devices: ["a", "b", "c"], addOnlySets: [], flags: [], seed: 5)
    let listener = try Listener(space, isMember: true)
    try listener.receive(space.introductions)
    let database = listener.database
    let room = Limits.logsPerSpace - (try database.clock().positions.count)
    var (applied, blocked) = (0, 0)
    for start in stride(from: 0, to: Self.count, by: 1_000) {
      let logs = try (start..<(start + 1_000)).map { try space.join(TestDevice(UInt64($0))) }
      let reception = try listener.receive(logs.map(\.run))
      applied += reception.applied
      blocked += reception.blocked.count { $0.reason == .delayed }
      #expect(reception.refused.isEmpty && reception.voids.isEmpty)
    }
    #expect(applied == min(Self.count, room) && applied + blocked == Self.count)
    // Who is in goes on, and so does this device.
    var honest = space.logs[1]
    let record = try honest.write([.put(PathKey("n"), .int(1))], stamp: Stamp(milliseconds: 5_000, counter: 0))
    #expect(try listener.receive([record]).applied == 1)
    try database.write { try $0.setValue(2, at: try Path("m")) }
    let other = try Listener(space, seed: 1)
    try bring(database, to: other)
    #expect(try other.database.clock() == database.clock())
    #expect(try other.database.stateHash() == database.stateHash())
    database.close()
    let again = try Database.open(at: database.home, options: Fleet.options)
    defer { again.close() }
    #expect(try again.clock() == other.database.clock())
    #expect(try again.read { try $0.value(at: .root) } == Value(json: #"{"m": 2, "n": 1}"#))
    try again.write { try $0.setValue(3, at: try Path("m")) }
  }

  private func bring(_ database: Database, to other: Listener) throws {
    var outgoing = try database.outgoing(to: try other.database.clock())
    while true {
      let runs = try outgoing.next(maximumBytes: 1 << 20, from: database)
      if runs.isEmpty { return }
      try other.receive(runs)
    }
  }
}
