import TestSupport
import Testing

@testable import OfflineTree

/// What a step does depends on those before it, on later changes, and on what stands in the set.
@Suite struct ReissueStepTests {
  private let x: Path
  private let element: Path

  init() throws {
    x = try Path("x")
    element = try Path("own/-from-elsewhere-0001")
  }

  private func outcomes(_ results: [ReissueResult]) -> [ReissueResult.Outcome] { results.map(\.outcome) }

  @Test func `a priority and a vote that the change's own value would take away are done again with it`() throws {
    let story = try ReissueStory()
    let (x, ada) = (x, story.ada)
    try story.people.fleet[0].write { transaction in
      try transaction.setValue(1, at: x)
      try transaction.setPriority(.int(5), at: x)
    }
    try story.people.fleet[0].write(as: ada) { try $0.vote(x, voter: ada, choice: 1) }
    try story.people.sync(0, 1)
    try story.write { transaction in
      try transaction.setValue(5, at: x)
      try transaction.setPriority(.int(5), at: x)
      try transaction.vote(x, voter: ada, choice: 1)
    }
    try story.logOutAndIn()
    try story.reissueAll(replacesUnseen: true)
    #expect(try story.read(1) { try $0.value(at: x) } == 6)
    #expect(try story.read(1) { try $0.priority(at: x) } == .int(5))
    #expect(try story.read(1) { try $0.choice(of: ada, at: x) } == 1)
    #expect(try story.reissuable() == [])
  }

  @Test func `a priority of what is gone is a person's to do, and no other change is taken for it`() throws {
    let story = try ReissueStory()
    let x = x
    try story.people.fleet[0].write { try $0.setValue(1, at: x) }
    try story.people.sync(0, 1)
    try story.write { try $0.setPriority(.int(5), at: x) }
    try story.people.fleet[0].write { try $0.removeValue(at: x) }
    try story.logOutAndIn()
    let list = try story.reissuable()
    #expect(list.map(\.isReissuable) == [false])
    let clock = try story.people.fleet[1].clock()
    #expect(outcomes(try story.people.fleet[1].reissue(list.map(\.id), as: story.ada)) == [.nothingToDo])
    #expect(try story.people.fleet[1].clock() == clock)
    #expect(try story.reissuable() == [])
  }

  @Test func `an element with another number in it is not the one that was put`() throws {
    let story = try ReissueStory()
    let (fleet, element) = (story.people.fleet, element)
    try fleet[0].grant(.owner, to: fleet[1].deviceKey)
    try story.people.sync(0, 1)
    try fleet[1].write(as: story.ada, isImport: true) {
      try $0.setValue(NewValue(["text": "a joke", "votes": 3]), at: element)
    }
    try fleet[0].write(isImport: true) { try $0.setValue(ReissueStory.joke, at: element) }
    try story.logOutAndIn()
    let list = try story.reissuable()
    #expect(list.map(\.isReissuable) == [false])
    guard case .byHand? = list.first?.steps.first?.outcome else {
      Issue.record("\(list)")
      return
    }
  }

  @Test func `of two void values at one path the later stays, though it stood and the earlier did not`() throws {
    let story = try ReissueStory()
    let (x, fleet) = (x, story.people.fleet)
    try story.write { try $0.setValue(1, at: x) }
    try story.write { try $0.setValue(2, at: x) }
    try fleet[0].write { try $0.setValue(2, at: x) }
    try story.logOutAndIn()
    let ids = try story.reissuable().map(\.id)
    #expect(outcomes(try fleet[1].reissue(ids, as: story.ada)) == [.wouldReplace, .nothingToDo])
    #expect(try story.reissuable().flatMap(\.steps).map(\.outcome) == [.superseded])
    #expect(outcomes(try fleet[1].reissue([ids[0]], as: story.ada, replacesUnseen: true)) == [.nothingToDo])
    #expect(try story.read(1) { try $0.value(at: x) } == 2)
    #expect(try fleet[1].read { try $0.status() }.voidCount == 0)
  }

  @Test func `what is left for a person stays on the list when the rest is done`() throws {
    let story = try ReissueStory()
    let x = x
    try story.write { transaction in
      try transaction.setValue(3, at: x)
      try transaction.increment(Path("n"), by: .int(5))
    }
    try story.logOutAndIn()
    let database = story.people.fleet[1]
    #expect(try database.reissuableCount(as: story.ada, limit: 10) == ReissuableCount(own: 1))
    try story.reissueAll()
    #expect(try story.read(1) { try $0.value(at: x) } == 3)
    let list = try story.reissuable()
    #expect(list.map { $0.steps.map(\.action) } == [[.increment(by: .int(5))]])
    #expect(list.map(\.isReissuable) == [false])
    #expect(try database.read { try $0.status() }.voidCount == 1)
    #expect(try database.reissuableCount(as: story.ada, limit: 10) == ReissuableCount())
    #expect(try database.reissuableCount(as: story.ada, limit: 0) == ReissuableCount(isMore: true))
    #expect(outcomes(try database.reissue(list.map(\.id), as: story.ada)) == [.nothingToDo])
    #expect(try story.reissuable() == [])
    #expect(try database.read { try $0.status() }.voidCount == 0)
  }

  @Test func `what was done is told when something ends it`() throws {
    let changes = (0..<4 as Range<UInt64>).map { seq in
      let log = LogID(Array(repeating: 1, count: 16))
      return Replica.NamedVoid(
        id: ReissuableChange.ID(log: log, seq: seq), position: LogPosition(log: log, seq: seq, hash: .zero))
    }
    let (full, refused) = (TreeError(.full, "no room"), TreeError(.refused, "not that one"))
    func attempt(_ failing: UInt64) throws -> [ReissueResult] {
      try ReissueResult.inTurn(changes) { (change) throws(TreeError) in
        if change.id.seq == failing { throw full }
        if change.id.seq == 1 { throw refused }
        return ReissueResult(id: change.id, outcome: .nothingToDo, steps: [])
      }
    }
    #expect(outcomes(try attempt(2)) == [.nothingToDo, .refused(refused), .failed(full)])
    #expect(error { try attempt(0) } == full)
  }

  @Test func `an element that has got its other key already stands there, and is dealt with`() throws {
    let story = try ReissueStory()
    let (fleet, element) = (story.people.fleet, element)
    try fleet[0].grant(.owner, to: fleet[1].deviceKey)
    try story.people.sync(0, 1)
    try fleet[1].write(isImport: true) { try $0.setValue(ReissueStory.joke, at: element) }
    try fleet[0].grant(.member, to: fleet[1].deviceKey)
    try story.people.sync(0, 1)
    try fleet.clone(1)
    _ = try fleet[1].reissue(try story.reissuable().map(\.id))
    try fleet.meetAll(rounds: 3)
    let list = try story.reissuable(2)
    #expect(list.flatMap(\.steps).map(\.outcome) == [.stands])
    #expect(outcomes(try fleet[2].reissue(list.map(\.id))) == [.nothingToDo])
    #expect(try story.reissuable(2) == [])
    #expect(try story.read(2) { try $0.keys(at: Path("own")).count } == 2)
  }
}
