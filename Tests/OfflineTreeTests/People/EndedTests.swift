import OfflineTree
import TestSupport
import Testing

/// What has ended does not act any more, whoever says so and however often.
@Suite struct EndedTests {
  /// ann is signed up and logged in on both devices.
  private func story() throws -> (story: PeopleStory, logIn: Record) {
    var story = try PeopleStory()
    let signUp = try story.first.control(
      [story.ann.signUp(on: story.first.device), story.ann.logIn(on: story.first.device)], stamp: story.next())
    let logIn = try story.second.control(
      [story.ann.logIn(on: story.second.device)], seeing: [signUp], stamp: story.next())
    return (story, logIn)
  }

  @Test func `who is logged out and knows it logs nobody out`() throws {
    var (story, logIn) = try story()
    let (ann, device, other) = (story.ann, story.first.device, story.second.device)
    let logOut = try story.first.control(
      [ann.logOut(of: other)], seeing: [logIn], stamp: story.next(), author: ann.user)
    let deletion = ControlOperation.end(.userKey(user: ann.user, ann.key.publicKey))
    try story.second.control([ann.logOut(of: device)], seeing: [logOut], stamp: story.next(), author: ann.user)
    try story.second.control([deletion], stamp: story.next(), author: ann.user)
    try story.first.write([.put("a", 1)], stamp: story.next(), author: ann.user)
    #expect(try story.outcome() == (#"{"a":1}"#, [SessionTests.loggedOut, SessionTests.loggedOut]))
  }

  @Test func `two log-outs that did not know of each other both count`() throws {
    var (story, logIn) = try story()
    let (ann, device, other) = (story.ann, story.first.device, story.second.device)
    try story.first.control([ann.logOut(of: other)], seeing: [logIn], stamp: story.next(), author: ann.user)
    try story.second.control([ann.logOut(of: device)], stamp: story.next(), author: ann.user)
    try story.first.write([.put("a", 1)], stamp: story.next(), author: ann.user)
    try story.second.write([.put("b", 1)], stamp: story.next(), author: ann.user)
    let outcome = try story.outcome()
    #expect(outcome.tree == "null")
    #expect(outcome.voids == Array(repeating: SessionTests.loggedOut, count: 4))
  }

  @Test func `a key that a change had seen ended changes no account`() throws {
    var (story, logIn) = try story()
    let (ann, device, other) = (story.ann, story.first.device, story.second.device)
    let (new, old) = (TestPerson.key("new"), TestPerson.key("old"))
    let change = try story.first.control([ann.rekey(to: new, on: device)], seeing: [logIn], stamp: story.next())
    try story.second.control([ann.rekey(to: old, on: other)], seeing: [change], stamp: story.next())
    #expect(try story.outcome().voids == ["the key that has signed it is not the account's any more"])
    let listener = try Listener(story.space)
    try listener.receive(story.records)
    #expect(try listener.database.accounts().map(\.account.publicKey) == [new.publicKey])
  }

  @Test func `a recovery by somebody who is named in it ends contested keys from above`() throws {
    var (story, logIn) = try story()
    let (ann, device, other) = (story.ann, story.first.device, story.second.device)
    let (thief, later, owner) = (TestPerson.key("thief"), TestPerson.key("later"), TestPerson.key("owner"))
    let theft = try story.second.control([ann.rekey(to: thief, on: other)], stamp: story.next())
    try story.first.control(
      [
        ann.rekey(to: owner, by: ann.recovery, on: device), ann.logIn(on: device, by: owner),
        .end(.userKey(user: ann.user, thief.publicKey)),
      ].normalized, seeing: [logIn, theft].suffix(1), stamp: story.next(), author: ann.user)
    // The thief goes on, not knowing.
    try story.second.control([ann.rekey(to: later, version: 2, from: thief, on: other)], stamp: story.next())
    #expect(try story.outcome().voids == ["the key that has signed it is not the account's any more"])
    let listener = try Listener(story.space)
    try listener.receive(story.records)
    #expect(try listener.database.accounts().map(\.account.publicKey) == [owner.publicKey])
  }

  @Test func `of several states of one key the first counts, whichever comes first`() throws {
    var (story, _) = try story()
    let (ann, device) = (story.ann, story.first.device)
    // The same device says it again under another name, from a copy of its home that knows nothing of the first.
    var copy = story.first.prefix(1)
    try copy.control([ann.named("eve").signUp(on: device)], stamp: .at(900))
    let rules = Array(#"{"rules": {".write": "auth.token.name == 'eve'"}}"#.utf8)
    let tip = try #require(copy.tip)
    let set = try story.founder.control([.rules(rules)], seeing: [tip], stamp: story.next())
    try story.first.write([.put("a", 1)], seeing: [set], stamp: story.next(), author: ann.user)
    story.loose = [tip]
    #expect(try story.outcome() == (#"{"a":1}"#, []))
  }

  @Test func `all log-ins of one change count`() throws {
    var (story, _) = try story()
    let (ann, device) = (story.ann, story.first.device)
    let logIns = (1..<4).map { ann.logIn(on: device, number: $0) }
    try story.first.control(logIns.normalized, stamp: story.next())
    for number in UInt8(0)..<3 {
      try story.first.control([ann.logOut(of: device, number: number)], stamp: story.next())
    }
    try story.first.write([.put("a", 1)], stamp: story.next(), author: ann.user)
    try story.first.control([ann.logOut(of: device, number: 3)], stamp: story.next())
    try story.first.write([.put("b", 1)], stamp: story.next(), author: ann.user)
    #expect(try story.outcome() == (#"{"a":1}"#, [SessionTests.loggedOut]))
  }

  @Test func `two documents of rules in a change, or much beside its acts, are void by form`() throws {
    var story = try PeopleStory()
    let documents = ["true", "false"].map { ControlOperation.rules(Array(#"{"rules": {".write": \#($0)}}"#.utf8)) }
    try story.founder.control(documents.normalized, stamp: story.next())
    try story.founder.control(
      [.deviceName("x")], stamp: story.next(), operations: [.put("a", .string(String(repeating: "a", count: 65_536)))])
    let outcome = try story.outcome()
    #expect(outcome.tree == "null")
    #expect(
      outcome.voids == [
        "it has 65542 bytes of operations beside control operations", "its control operations are not in normal form",
      ])
  }

  @Test func `states that rest on each other in one change, with the last of all versions, are no account`() throws {
    var story = try PeopleStory()
    let (ben, device) = (story.ben, story.second.device)
    let (last, first, none) = (TestPerson.key("last"), TestPerson.key("first"), TestPerson.key("none"))
    let acts = [
      ben.rekey(to: last, version: .max, from: none, by: none, on: device),
      ben.rekey(to: first, version: 1, from: last, by: last, on: device),
    ]
    try story.second.control(acts.normalized, stamp: story.next())
    let outcome = try story.outcome()
    #expect(outcome.voids.count == 1)
  }
}
