import TestSupport
import Testing

@testable import OfflineTree

/// A log that turns out to have forked gives its changes other names: what was dealt with stays so.
@Suite struct ReissueForkTests {
  /// d1 fell back to before a write that d2 has, and has gone on with `body`.
  private func forked(_ body: (ReissueStory) throws -> Void) throws -> ReissueStory {
    let story = try ReissueStory(3)
    let fleet = story.people.fleet
    try fleet[0].grant(.owner, to: fleet[1].deviceKey)
    try story.people.sync(0, 1)
    let before = try fleet.backUp(1)
    try fleet[1].write { try $0.setValue(1, at: try Path("y")) }
    try fleet.send(from: 1, to: 2)
    try fleet.restore(1, from: before, inPlace: true)
    try body(story)
    return story
  }

  @Test func `what was done again stays so when its log turns out to have forked`() throws {
    let x = try Path("x")
    let story = try forked { story in try story.write { try $0.setValue(3, at: Path("x")) } }
    let fleet = story.people.fleet
    try story.logOutAndIn()
    let ids = try story.reissuable().map(\.id)
    #expect(try story.reissueAll().count == 1)
    try story.people.sync(0, 1)
    try fleet[0].write { try $0.removeValue(at: x) }
    try story.people.sync(0, 1)
    try fleet.send(from: 2, to: 1)
    #expect(try fleet[1].read { try $0.forkProofs() }.count == 1)
    #expect(try story.reissuable() == [])
    // Its name from before the fork still is its name.
    #expect(try fleet[1].reissue(ids, as: story.ada).map(\.outcome) == [.doneBefore])
    #expect(try story.read(1) { try $0.exists(at: x) } == false)
    #expect(try fleet[1].read { try $0.status() }.voidCount == 0)
  }

  @Test func `the other key of an element is the same before and after its log turns out to have forked`() throws {
    let element = try Path("own/-from-elsewhere-0001")
    let story = try forked { story in
      try story.people.fleet[1].write(isImport: true) { try $0.setValue(ReissueStory.joke, at: element) }
    }
    let fleet = story.people.fleet
    try fleet[0].grant(.member, to: fleet[1].deviceKey)
    try story.people.sync(0, 1)
    let before = try #require(try story.reissuable().first)
    try fleet.send(from: 2, to: 1)
    let after = try #require(try story.reissuable().first)
    #expect(before.id != after.id && before.position == after.position)
    guard case .againAt? = before.steps.first?.outcome else {
      Issue.record("\(before)")
      return
    }
    #expect(before.steps == after.steps)
  }
}
