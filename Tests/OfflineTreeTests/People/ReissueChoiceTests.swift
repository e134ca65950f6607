import TestSupport
import Testing

@testable import OfflineTree

/// What is not done again without being asked for, or not at all.
@Suite struct ReissueChoiceTests {
  private func outcomes(_ results: [ReissueResult]) -> [ReissueResult.Outcome] { results.map(\.outcome) }

  @Test func `what came later is taken away only where that is wanted`() throws {
    let story = try ReissueStory()
    let (x, y) = (try Path("x"), try Path("y"))
    try story.write { try $0.setValue(["a": 1, "b": 2], at: x) }
    try story.write { try $0.removeValue(at: y) }
    try story.logOutAndIn()
    try story.people.fleet[0].write { try $0.setValue(9, at: try Path("x/c")) }
    try story.people.sync(0, 1)
    let list = try story.reissuable()
    #expect(list.flatMap(\.steps).map(\.outcome) == [.replaces(["c": 9]), .stands])
    let first = try story.people.fleet[1].reissue(list.map(\.id), as: story.ada)
    #expect(outcomes(first) == [.wouldReplace, .nothingToDo])
    #expect(try story.read(1) { try $0.value(at: x) } == ["c": 9])
    #expect(try story.reissuable().count == 1)
    try story.reissueAll(replacesUnseen: true)
    #expect(try story.read(1) { try $0.value(at: x) } == ["a": 1, "b": 2])
    #expect(try story.reissuable() == [])
  }

  @Test func `what was there to be seen is replaced without a question`() throws {
    let story = try ReissueStory()
    let x = try Path("x")
    try story.people.fleet[0].write { try $0.setValue(["a": 1], at: x) }
    try story.people.sync(0, 1)
    try story.write { try $0.setValue(2, at: x) }
    try story.logOutAndIn()
    #expect(try story.read(1) { try $0.value(at: x) } == ["a": 1])
    try story.reissueAll()
    #expect(try story.read(1) { try $0.value(at: x) } == 2)
  }

  @Test func `increments and votes that a set had not seen are not taken away by it`() throws {
    let story = try ReissueStory()
    let x = try Path("x")
    try story.people.fleet[0].write { try $0.increment(x, by: .int(1)) }
    try story.people.sync(0, 1)
    try story.write { try $0.setValue(10, at: x) }
    try story.people.fleet[0].write { try $0.increment(x, by: .int(1)) }
    try story.logOutAndIn()
    #expect(outcomes(try story.reissueAll()) == [.wouldReplace])
    #expect(try story.read(1) { try $0.value(at: x) } == 2)
  }

  @Test func `a choice that was made since stands`() throws {
    let story = try ReissueStory()
    let (ada, votes) = (story.ada, try story.known.appending(Path("votes")))
    try story.write { try $0.vote(votes, voter: ada, choice: 1) }
    try story.logOutAndIn()
    try story.people.fleet[0].write(as: ada) { try $0.vote(votes, voter: ada, choice: -1) }
    try story.people.sync(0, 1)
    #expect(outcomes(try story.reissueAll()) == [.wouldReplace])
    #expect(try story.read(1) { try $0.choice(of: ada, at: votes) } == -1)
    try story.reissueAll(replacesUnseen: true)
    #expect(try story.read(1) { try $0.choice(of: ada, at: votes) } == 1)
  }

  @Test func `rules judge anew what is done again`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.logOutAndIn()
    let rules = #"{"rules": {"own": {".write": "auth != null", "$k": {"votes": {".vote": true}}}}}"#
    try story.people.fleet[0].setRules(rules)
    try story.people.sync(0, 1)
    let results = try story.reissueAll()
    let refused = results.filter { if case .refused = $0.outcome { true } else { false } }
    #expect(results.count == 4 && refused.count == 1)
    #expect(try story.read(1) { try $0.exists(at: Path("x")) } == false)
    try story.people.fleet[0].setRules(#"{"rules": {".write": true}}"#)
    try story.people.sync(0, 1)
    #expect(try story.reissueAll().count == 1)
    try story.people.sync(0, 1)
    try story.expectOnce()
  }

  @Test func `what somebody else made on the device is theirs to do again, and not shown`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.people[0].signOut(everywhere: true)
    try story.people.sync(0, 1)
    try story.people.signUp(1, "ben@example.org", password: PeopleFleet.other)
    let ben = try #require(try story.people[1].currentUser?.uid)
    let list = try story.reissuable()
    #expect(list.count == 5 && list.allSatisfy { $0.isSomebodyElses && $0.steps.isEmpty && !$0.isReissuable })
    let results = try story.people.fleet[1].reissue(list.map(\.id), as: ben)
    #expect(results.allSatisfy { $0.outcome == .somebodyElses })
    try story.people.signIn(1)
    try story.reissueAll()
    try story.people.signIn(0)
    try story.people.sync(0, 1)
    try story.expectOnce()
  }

  @Test func `a removed device says what it had done, and can do nothing again`() throws {
    let story = try ReissueStory()
    let (x, database) = (try Path("x"), story.people.fleet[1])
    try database.write { try $0.setValue(1, at: x) }
    try story.people.fleet[0].removeMembers([database.deviceKey])
    try story.people.sync(0, 1)
    let list = try story.reissuable()
    #expect(list.map { $0.steps.map(\.action) } == [[.set(1)]])
    let results = try database.reissue(list.map(\.id))
    guard case .refused(let error)? = results.first?.outcome else {
      Issue.record("\(results)")
      return
    }
    #expect(error.code == .refused)
    #expect(try story.reissuable() == list)
  }

  @Test func `an act is done again by its own command alone`() throws {
    let story = try ReissueStory(3)
    let database = story.people.fleet[1]
    try database.renameDevice("the other")
    try story.people.fleet[0].removeMembers([database.deviceKey])
    try story.people.sync(0, 1)
    let list = try story.reissuable()
    #expect(list.map { $0.steps.map(\.action) } == [[.act]])
    #expect(list.map(\.isReissuable) == [false])
  }

  @Test func `a change that is no void one of this device is refused before anything is done`() throws {
    let story = try ReissueStory()
    try story.act()
    try story.logOutAndIn()
    let ids = try story.reissuable().map(\.id)
    let wrong = ReissuableChange.ID(log: ids[0].log, seq: 0)
    let clock = try story.people.fleet[1].clock()
    #expect(error { try story.people.fleet[1].reissue(ids + [wrong], as: story.ada) }?.code == .notFound)
    #expect(try story.people.fleet[1].clock() == clock)
    #expect(try ReissuableChange.ID(ids[0].description) == ids[0])
    for text in ["", ":", "x:1", "\(ids[0].log):", "\(ids[0].log):-1", "\(ids[0].log)", "\(ids[0]):1"] {
      #expect(error { try ReissuableChange.ID(text) }?.code == .invalidArgument, "\(text)")
    }
  }

  @Test func `an import's element that this device can no longer bind gets one other key, on twins as well`() throws {
    let story = try ReissueStory(2)
    let fleet = story.people.fleet
    let element = try Path("own/-from-elsewhere-0001")
    try fleet[0].grant(.owner, to: fleet[1].deviceKey)
    try story.people.sync(0, 1)
    try fleet[1].write(isImport: true) { try $0.setValue(ReissueStory.joke, at: element) }
    try fleet[0].grant(.member, to: fleet[1].deviceKey)
    try story.people.sync(0, 1)
    try fleet.clone(1)
    for index in [1, 2] {
      let list = try story.reissuable(index)
      guard case .againAt(let path)? = list.first?.steps.first?.outcome else {
        Issue.record("\(list)")
        return
      }
      #expect(path != element)
      _ = try fleet[index].reissue(list.map(\.id))
    }
    try fleet.meetAll(rounds: 3)
    try fleet.expectConverged()
    #expect(try story.read(0) { try $0.keys(at: Path("own")).count } == 2)
  }
}
