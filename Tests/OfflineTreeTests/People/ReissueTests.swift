import TestSupport
import Testing

@testable import OfflineTree

@Suite struct ReissueTests {
  @Test func `what a log-out made void counts once when it is done again`() throws {
    let story = try ReissueStory()
    try story.act()
    #expect(try story.reissuable() == [])
    try story.logOutAndIn()
    #expect(try story.read(0) { try $0.keys(at: Path("own")) }.count == 1)
    #expect(try story.read(0) { try $0.value(at: story.known)["votes"] } == 0)
    let list = try story.reissuable()
    #expect(list.map(\.isReissuable) == [true, true, true, true, false])
    #expect(list.allSatisfy { $0.reason == SessionTests.loggedOut && $0.author == story.ada })
    let results = try story.reissueAll()
    #expect(results.count == 4)
    for result in results {
      guard case .reissued(let id) = result.outcome else {
        Issue.record("\(result)")
        continue
      }
      #expect(id != result.id)
    }
    try story.people.sync(0, 1)
    try story.expectOnce()
    #expect(try story.reissuable().count == 1)
  }

  @Test func `doing it again twice does nothing twice`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.logOutAndIn()
    let ids = try story.reissuable().map(\.id)
    let first = try story.people.fleet[1].reissue(ids, as: story.ada)
    #expect(first.last?.outcome == .nothingToDo)
    let clock = try story.people.fleet[1].clock()
    let second = try story.people.fleet[1].reissue(ids + ids, as: story.ada)
    #expect(second.count == 5 && second.allSatisfy { $0.outcome == .doneBefore })
    #expect(try story.people.fleet[1].clock() == clock)
    #expect(try story.reissuable() == [])
    try story.people.sync(0, 1)
    try story.expectOnce()
  }

  @Test func `an increment is never done again, and how much it was is said`() throws {
    let story = try ReissueStory()
    try story.write { transaction in
      try transaction.increment(Path("n"), by: .int(5))
      try transaction.increment(Path("m"), by: .double(0.5))
    }
    try story.logOutAndIn()
    let list = try story.reissuable()
    #expect(list.map(\.isReissuable) == [false])
    #expect(list[0].steps.map(\.action) == [.increment(by: .double(0.5)), .increment(by: .int(5))])
    let clock = try story.people.fleet[1].clock()
    #expect(try story.people.fleet[1].reissue(list.map(\.id), as: story.ada).map(\.outcome) == [.nothingToDo])
    #expect(try story.people.fleet[1].clock() == clock)
    #expect(try story.reissuable() == [])
  }

  @Test func `twins that both do it again do no harm`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.logOutAndIn()
    try story.people.fleet.clone(1)
    for index in [1, 2] {
      let list = try story.reissuable(index)
      #expect(list.count == 5)
      try story.reissueAll(index)
    }
    try story.people.fleet.meetAll(rounds: 3)
    try story.expectOnce()
    for index in [1, 2] { #expect(try story.reissuable(index).filter(\.isReissuable) == []) }
  }

  @Test func `a twin that hears of it first finds it done`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.logOutAndIn()
    try story.people.fleet.clone(1)
    try story.reissueAll(1)
    try story.people.fleet.meetAll(rounds: 3)
    let list = try story.reissuable(2)
    #expect(list.count == 5)
    for step in list.dropLast().flatMap(\.steps) { #expect(step.outcome == .stands) }
    let results = try story.people.fleet[2].reissue(list.map(\.id), as: story.ada)
    #expect(results.allSatisfy { $0.outcome == .nothingToDo })
    try story.expectOnce()
  }

  @Test func `a stop between two changes leaves the rest to be done`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.write { try $0.setValue(2, at: Path("x")) }
    try story.write { try $0.setValue(3, at: Path("x")) }
    try story.logOutAndIn()
    for id in try story.reissuable().filter(\.isReissuable).map(\.id) {
      #expect(try story.people.fleet[1].reissue([id], as: story.ada).count == 1)
      try story.people.fleet.reopen(1)
    }
    try story.people.sync(0, 1)
    try story.expectOnce()
  }

  @Test(arguments: [false, true])
  func `a home that fell back to before it did so does no harm`(inPlace: Bool) throws {
    let story = try ReissueStory()
    try story.act()
    try story.logOutAndIn()
    let before = try story.people.fleet.backUp(1)
    try story.reissueAll()
    try story.people.sync(0, 1)
    try story.people.fleet.restore(1, from: before, inPlace: inPlace)
    try story.reissueAll()
    try story.people.fleet.meetAll(rounds: 3)
    try story.expectOnce()
  }

  @Test func `a mark and the change that it marks are kept or lost together`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.logOutAndIn()
    let ids = try story.reissuable().map(\.id)
    let stop = TreeError(.full, "no room")
    let (database, ada) = (story.people.fleet[1], story.ada)
    let position = try #require(try story.reissuable().first?.position)
    let named = Replica.NamedVoid(id: ids[0], position: position)
    let thrown = error {
      try database.submit { rows, state in
        _ = try database.reissue(named, ada, false, rows, &state)
        throw stop
      }
    }
    #expect(thrown == stop)
    #expect(try story.reissuable().map(\.id) == ids)
    try story.reissueAll()
    try story.people.sync(0, 1)
    try story.expectOnce()
  }
}
