import TestSupport
import Testing

@testable import OfflineTree

/// What a device that dropped history can do, and what it has to wait for.
@Suite struct DroppedStoryTests {
  private let path = PathKey("n").path
  /// The founder's device keeps all; 1 writes, 2 drops, 3 knows little.
  private let fleet: Fleet
  private var keeper: Database { fleet[0] }
  private var dropper: Database { fleet[2] }

  init() throws {
    fleet = try Fleet(4, seed: 7)
    for index in 0..<4 { try fleet.send(from: 0, to: index == 0 ? 1 : index) }
    try fleet[1].write([.increment(path, .int(1))])
    try fleet[3].write([.increment(PathKey("m").path, .int(1))])
    try fleet.meetAll()
    try dropper.keepLittle(block: 4)
  }

  /// Increments of 1, of which 3 sees the first half; 2 has all and drops them.
  private func incrementAndDrop(_ count: Int = 40) throws {
    for number in 0..<count {
      try fleet[1].write([.increment(path, .int(1))])
      if number == count / 2 { try fleet.send(from: 1, to: 3) }
    }
    try fleet.send(from: 1, to: 0)
    try fleet.send(from: 0, to: 2)
    let report = try dropper.drop(keepers: [keeper])
    #expect(report.droppedChanges >= count - 4)
    #expect(try dropper.history().droppedChanges == UInt64(report.droppedChanges))
    try fleet.expectEqual(0, 2)
    #expect(try dropper.verify().problems.isEmpty)
    #expect(try dropper.verify().droppedChanges == report.droppedChanges)
  }

  private func scalar(_ database: Database) throws -> Scalar? { try database.read { try $0.scalar(at: path) } }

  @Test func `a clear that saw a part only in part waits, and goes on when its history is fetched`() throws {
    try incrementAndDrop()
    try fleet[3].write([.remove(path)])
    let reception = try fleet.send(from: 3, to: 2)
    #expect(reception.applied == 0)
    let before = try (dropper.clock(), dropper.stateHash())
    #expect(try dropper.history().waitingChanges == 1)
    #expect(try dropper.read { try $0.status() }.waitingForHistory == 1)
    #expect(try dropper.read { try $0.status() }.keepers.map(\.deviceName) == ["d0"])
    #expect(try before.0 == dropper.clock() && before.1 == dropper.stateHash())
    // First the change that it had seen last, then what came after that.
    let seen = try dropper.wantedHistory(limit: 100)
    #expect(seen.count == 1 && seen[0].last == seen[0].first + 3)
    #expect(reception.wanted.isEmpty || reception.wanted == seen)
    let first = try dropper.fill(seen.compactMap { try keeper.historyRun($0) })
    #expect(first.filled == 4 && first.reception.applied == 0)
    let wanted = try dropper.wantedHistory(limit: 100)
    #expect(wanted.count > 2 && wanted.allSatisfy { $0.first > seen[0].first })
    // Half of what it needs does not help.
    let runs = try wanted.map { try #require(try keeper.historyRun($0)) }
    let half = try dropper.fill(Array(runs.prefix(runs.count / 2)))
    #expect(half.filled == 4 * (runs.count / 2) && half.reception.applied == 0)
    #expect(try dropper.wantedHistory(limit: 100) == wanted.suffix(wanted.count - runs.count / 2))
    let rest = try dropper.fill(Array(runs.suffix(runs.count - runs.count / 2)))
    #expect(rest.reception.applied == 1)
    #expect(try dropper.history().waitingChanges == 0)
    try fleet.send(from: 3, to: 0)
    try fleet.expectEqual(0, 2)
    #expect(try scalar(dropper) == scalar(keeper) && scalar(keeper) != nil)
    // What was fetched goes again.
    #expect(try dropper.drop(keepers: [keeper]).droppedChanges == first.filled + half.filled + rest.filled)
    try fleet.expectEqual(0, 2)
  }

  @Test func `who has seen everything needs nothing of it, nor does who only adds`() throws {
    try incrementAndDrop()
    try fleet.send(from: 0, to: 3)
    try fleet[3].write([.increment(PathKey("other").path, .int(1))])
    try fleet.send(from: 3, to: 2)
    #expect(try dropper.history().waitingChanges == 0)
    try fleet[1].write([.remove(path)])
    try fleet.send(from: 1, to: 2)
    #expect(try scalar(dropper) == nil)
    #expect(try dropper.wantedHistory(limit: 1).isEmpty)
    try dropper.write([.increment(path, .int(5))])
    try fleet.send(from: 2, to: 0)
    try fleet.send(from: 3, to: 0)
    try fleet.send(from: 1, to: 0)
    try fleet.send(from: 0, to: 2)
    try fleet.expectEqual(0, 2)
  }

  @Test func `what arrives again after it was dropped is a duplicate`() throws {
    try incrementAndDrop()
    let (clock, wanted) = try (dropper.clock(), dropper.wantedHistory(limit: 9))
    for run in try Fleet.runs(of: keeper) {
      #expect(try dropper.receive([run], keepBlocked: true).applied == 0)
    }
    #expect(try dropper.clock() == clock && wanted.isEmpty)
    try dropper.fetch(from: keeper)
    #expect(try dropper.history().waitingChanges == 0)
    try fleet.expectEqual(0, 2)
  }

  @Test func `a device hands on what it did not drop, and the rest once it has it again`() throws {
    try incrementAndDrop()
    try dropper.write([.increment(PathKey("own").path, .int(1))])
    let newcomer = try Listener(hearing: keeper)
    var random = SeededRandom(seed: 1)
    try Fleet.send(from: dropper, to: newcomer.database, Fleet.Manner(), &random)
    let known = try newcomer.database.clock().positions.map(\.log)
    let position = try #require(try fleet[1].ownPosition())
    let dropped = position.log
    #expect(try !newcomer.database.clock().positions.contains(position))
    #expect(!known.isEmpty)
    try dropper.setHistoryRetention(.all)
    #expect(try dropper.wantedHistory(limit: 1_000).contains { $0.log == dropped })
    try dropper.fetch(from: keeper)
    #expect(try dropper.history().droppedChanges == 0)
    try Fleet.send(from: dropper, to: newcomer.database, Fleet.Manner(), &random)
    #expect(try newcomer.database.clock() == dropper.clock())
    #expect(try newcomer.database.stateHash() == dropper.stateHash())
  }

  @Test func `a second history of a dropped log is found, and both count`() throws {
    let backup = try fleet.backUp(1)
    try incrementAndDrop()
    try fleet.restore(1, from: backup, inPlace: true)
    for _ in 0..<3 { try fleet[1].write([.increment(path, .int(100))]) }
    try fleet.send(from: 1, to: 0)
    try fleet.send(from: 0, to: 2)
    #expect(try dropper.history().waitingChanges > 0)
    try dropper.fetch(from: keeper)
    try fleet.send(from: 0, to: 2)
    try fleet.expectEqual(0, 2)
    #expect(try dropper.clock() == keeper.clock())
    #expect(try scalar(dropper) == .int(341))
    #expect(try dropper.read { try $0.status() }.forks.count == 1)
  }

  @Test func `own changes stay, and those of a lone keeper, and what a keeper is not known to have`() throws {
    for _ in 0..<20 {
      for index in 0..<3 { try fleet[index].write([.increment(path, .int(1))]) }
    }
    let early = KeeperClock(device: keeper.deviceKey, home: .zero, clock: try keeper.clock())
    try fleet.meetAll()
    #expect(try dropper.compact(keepers: []).droppedChanges == 0)
    let stranger = KeeperClock(device: fleet[3].deviceKey, home: .zero, clock: try keeper.clock())
    #expect(try dropper.compact(keepers: [stranger]).droppedChanges == 0)
    let few = try dropper.compact(keepers: [early]).droppedChanges
    let more = try dropper.drop(keepers: [keeper]).droppedChanges
    #expect(few < more && more > 12)
    let held = Set(try Fleet.runs(of: dropper).map(\.log))
    let own = try #require(try dropper.ownPosition())
    let lone = try #require(try keeper.ownPosition())
    #expect(held.isSuperset(of: [own.log, lone.log]))
    #expect(try keeper.drop(keepers: [keeper]).droppedChanges == 0, "a keeper drops nothing")
  }

  @Test func `history is kept for as many days as was said`() throws {
    let day: Int64 = 86_400_000
    try dropper.setHistoryRetention(.days(30))
    for number in 0..<40 {
      fleet.members[1].clock.now = 100 * day + Int64(number) * day
      try fleet[1].write([.increment(path, .int(1))])
    }
    try fleet.send(from: 1, to: 0)
    try fleet.send(from: 0, to: 2)
    fleet.members[2].clock.now = 100 * day
    #expect(try dropper.drop(keepers: [keeper]).droppedChanges == 0, "what seems to come from the future is not old")
    fleet.members[2].clock.now = 140 * day
    let dropped = try dropper.drop(keepers: [keeper]).droppedChanges
    #expect(dropped == 8 || dropped == 12)
    fleet.members[2].clock.now = 200 * day
    #expect(try dropper.drop(keepers: [keeper]).droppedChanges > 20)
    #expect(throws: TreeError.self) { try dropper.setHistoryRetention(.days(-1)) }
  }

  @Test func `owners keep all unless told otherwise, others thirty days`() throws {
    #expect(try keeper.historyRetention() == .all)
    #expect(try fleet[3].historyRetention() == .days(30))
    try fleet[3].setHistoryRetention(.little)
    try fleet.reopen(3)
    #expect(try fleet[3].historyRetention() == .little)
  }

  @Test func `who added a joke is known after its change was dropped`() throws {
    let signUp = try Auth(fleet[1], profile: .smallest).createUser(
      withEmail: "ada@example.org", password: try Password(text: PeopleFleet.password), username: "Ada",
      profileImage: nil)
    let user = Key.of(signUp.user.uid.text)
    let joke = PathKey("open/j9").path
    try fleet[1].write(as: user) { try $0.setValue(NewValue(Scalar.string("a joke")), at: joke) }
    try fleet[1].write([.increment(path, .int(1))])
    try fleet.meetAll()
    try fleet[3].keepLittle(block: 1)
    #expect(try fleet[3].drop(keepers: [keeper]).droppedChanges > 0)
    #expect(try fleet[3].read { try $0.author(of: joke) }?.text == user.text)
    #expect(try keeper.read { try $0.author(of: joke) }?.text == user.text)
  }
}
