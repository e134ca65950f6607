import TestSupport
import Testing

@testable import OfflineTree

/// Changes that came before what they had seen.
@Suite struct WaitingTests {
  private let space: ModelSpace

  init() throws { space = try ModelSpace(devices: ["a", "b", "c"], addOnlySets: [], flags: [], seed: 5) }

  /// Two logs of which each change had seen the other's last one.
  private func turns(_ count: Int) throws -> (left: RawLog, right: RawLog) {
    let others = space.logs.indices.filter { $0 != space.founder }
    var logs = [space.logs[others[0]], space.logs[others[1]]]
    for turn in 0..<count {
      let seen = logs[(turn + 1) % 2].records.last
      try logs[turn % 2].write(
        [.increment(PathKey("n"), by: .int(1))], seeing: turn == 0 ? [] : [try #require(seen)],
        stamp: Stamp(milliseconds: UInt64(10_000 + turn), counter: 0))
    }
    return (logs[0], logs[1])
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `what waits goes on at once when the first change has come, branches included`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let (left, right) = try turns(120)
    var branch = left.prefix(left.records.count / 2)
    for number in 0..<5 {
      try branch.write(
        [.increment(PathKey("n"), by: .int(1))], stamp: Stamp(milliseconds: UInt64(20_000 + number), counter: 0))
    }
    let all = left.records + right.records + branch.records.suffix(5)
    let listener = try Listener(space)
    let early = all.filter { $0.seq > 0 }.shuffled(using: &random)
    for record in early { try listener.receive([record]) }
    let database = listener.database
    #expect(try database.read { try $0.status() }.waitingCount == early.count)
    try listener.receive([space.registration] + all.filter { $0.seq == 0 })
    #expect(try database.read { try $0.status() }.waitingCount == 0)
    #expect(try database.read { try $0.scalar(at: PathKey("n").path) } == .int(125))
    #expect(try database.read { try $0.status() }.forks == [left.id])
    #expect(try database.verify().problems.isEmpty)
  }

  @Test func `changes of a few bytes do not wait for free`() {
    var room = Replica.WaitingRoom()
    var count = 0
    while room.hasRoom(for: 1, in: 1, of: .zero) {
      room.add(1, of: .zero)
      count += 1
    }
    #expect(count > 1_000 && count < Limits.waitingBytesPerLog / 100)
  }

  @Test func `what waits is handed out once, also when more comes before it`() throws {
    let (left, right) = try turns(40)
    let listener = try Listener(space)
    let database = listener.database
    var outgoing = try database.outgoing(to: try database.clock())
    func handedOut() throws -> [Bytes32] {
      var found: [Bytes32] = []
      while true {
        let runs = try outgoing.next(maximumBytes: 1, from: database)
        if runs.isEmpty { return found }
        found += runs.map(\.head)
      }
    }
    let (late, early) = left.id < right.id ? (right, left) : (left, right)
    try listener.receive(Array(late.records.dropFirst()))
    #expect(try handedOut().sorted() == late.records.dropFirst().map(\.hash).sorted())
    #expect(try handedOut().isEmpty)
    try listener.receive(Array(early.records.dropFirst()))
    #expect(try handedOut().sorted() == early.records.dropFirst().map(\.hash).sorted())
    #expect(try handedOut().isEmpty)
  }
}
