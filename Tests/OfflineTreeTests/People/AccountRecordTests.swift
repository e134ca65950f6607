import OfflineTree
import TestSupport
import Testing

/// New passwords, recovery, and what becomes of an account that was changed in two places.
@Suite struct AccountRecordTests {
  private static let ended = "its log-in rests on a password that is not the account's any more"
  private static let superseded = "the key that has signed it is not the account's any more"

  /// ann is signed up and logged in on both devices.
  private func story() throws -> (story: PeopleStory, signUp: Record, logIn: Record) {
    var story = try PeopleStory()
    let signUp = try story.first.control(
      [story.ann.signUp(on: story.first.device), story.ann.logIn(on: story.first.device)], stamp: story.next())
    let logIn = try story.second.control(
      [story.ann.logIn(on: story.second.device)], seeing: [signUp], stamp: story.next())
    return (story, signUp, logIn)
  }

  private func keys(_ story: PeopleStory) throws -> [Bytes32] {
    let listener = try Listener(story.space)
    try listener.receive(story.records)
    return try listener.database.accounts(of: story.ann.user).map(\.account.publicKey)
  }

  @Test func `a new password ends the old one and its log-ins`() throws {
    var (story, _, logIn) = try story()
    let (ann, device, new) = (story.ann, story.first.device, TestPerson.key("new"))
    try story.first.control(
      [ann.rekey(to: new, on: device), ann.logIn(on: device, by: new)].normalized, seeing: [logIn], stamp: story.next())
    try story.first.write([.put("first", 1)], stamp: story.next(), author: ann.user)
    try story.second.write([.put("second", 1)], stamp: story.next(), author: ann.user)
    try story.second.control([ann.logIn(on: story.second.device, number: 1)], stamp: story.next())
    let outcome = try story.outcome()
    #expect(outcome.tree == #"{"first":1}"#)
    #expect(outcome.voids == [SessionTests.loggedOut, Self.ended])
    #expect(try keys(story) == [new.publicKey])
  }

  @Test func `two new passwords that did not know of each other both stand until one from above decides`() throws {
    var (story, _, logIn) = try story()
    let (ann, device, other) = (story.ann, story.first.device, story.second.device)
    let (left, right) = (TestPerson.key("left"), TestPerson.key("right"))
    let first = try story.first.control(
      [ann.rekey(to: left, on: device), ann.logIn(on: device, by: left)].normalized, seeing: [logIn],
      stamp: story.next())
    let second = try story.second.control(
      [ann.rekey(to: right, on: other), ann.logIn(on: other, by: right)].normalized, stamp: story.next())
    try story.first.write([.put("left", 1)], stamp: story.next(), author: ann.user)
    try story.second.write([.put("right", 1)], stamp: story.next(), author: ann.user)
    #expect(try story.outcome() == (#"{"left":1,"right":1}"#, []))
    #expect(try Set(keys(story)) == [left.publicKey, right.publicKey])

    var owned = story
    try owned.founder.control(
      [.end(.userKey(user: ann.user, left.publicKey))], seeing: [first, second], stamp: owned.next())
    #expect(try keys(owned) == [right.publicKey])
    #expect(try owned.outcome() == (#"{"right":1}"#, [SessionTests.loggedOut]))

    let recovered = TestPerson.key("recovered")
    try story.first.control(
      [
        ann.rekey(to: recovered, version: 2, from: left, by: ann.recovery, on: device),
        .end(.userKey(user: ann.user, right.publicKey)),
      ].normalized, seeing: [second], stamp: story.next())
    #expect(try keys(story) == [recovered.publicKey])
  }

  @Test func `the recovery code wins over a thief with the password, whoever was first`() throws {
    var (story, _, logIn) = try story()
    let (ann, device, other) = (story.ann, story.first.device, story.second.device)
    let (thief, owner) = (TestPerson.key("thief"), TestPerson.key("owner"))
    try story.second.control(
      [ann.rekey(to: thief, on: other), ann.logIn(on: other, by: thief)].normalized, stamp: story.next())
    try story.second.write([.put("thief", 1)], stamp: story.next(), author: ann.user)
    try story.first.control(
      [ann.rekey(to: owner, by: ann.recovery, on: device), ann.logIn(on: device, by: owner)].normalized,
      seeing: [logIn], stamp: story.next())
    try story.first.write([.put("owner", 1)], stamp: story.next(), author: ann.user)
    let outcome = try story.outcome()
    #expect(outcome.tree == #"{"owner":1}"#)
    #expect(outcome.voids == [SessionTests.loggedOut, Self.superseded])
    #expect(try keys(story) == [owner.publicKey])
  }

  @Test func `only the key before and the recovery code change an account, one version at a time`() throws {
    var (story, _, _) = try story()
    let (ann, ben, device) = (story.ann, story.ben, story.first.device)
    let new = TestPerson.key("new")
    try story.first.control([ann.rekey(to: new, by: ben.key, on: device)], stamp: story.next())
    try story.first.control([ann.rekey(to: new, version: 2, on: device)], stamp: story.next())
    try story.first.control(
      [ann.rekey(to: new, from: ben.key, by: ann.key, on: device)], stamp: story.next())
    try story.first.control([ann.rekey(to: new, recovery: ben.recovery, on: device)], stamp: story.next())
    try story.second.control([ann.rekey(to: new, on: device)], stamp: story.next())
    let outcome = try story.outcome()
    #expect(
      outcome.voids == [
        "it skips a version of the account", "neither the account's key nor its recovery code has signed it",
        "nobody has signed the changed account", "only the recovery code replaces the recovery code",
        "there is no such account",
      ])
    #expect(try keys(story) == [ann.key.publicKey])
  }

  @Test func `an account that its person ends is gone, and the recovery code brings it back`() throws {
    var (story, _, logIn) = try story()
    let (ann, device) = (story.ann, story.first.device)
    let end = ControlOperation.end(.userKey(user: ann.user, ann.key.publicKey))
    try story.first.control([end], seeing: [logIn], stamp: story.next(), author: ann.user, operations: [.put("bye", 1)])
    try story.first.write([.put("after", 1)], stamp: story.next(), author: ann.user)
    #expect(try story.outcome() == (#"{"bye":1}"#, [SessionTests.loggedOut]))
    #expect(try keys(story) == [])
    let new = TestPerson.key("new")
    try story.first.control([ann.rekey(to: new, by: ann.recovery, on: device)], stamp: story.next())
    #expect(try keys(story) == [new.publicKey])
  }

  @Test func `a device makes no ninth account without an owner's word`() throws {
    var story = try PeopleStory()
    let people = (0..<10).map { TestPerson("p\($0)", space: story.space.id) }
    var last: Record?
    for person in people.prefix(9) {
      last = try story.first.control([person.signUp(on: story.first.device)], stamp: story.next())
    }
    let words = people.prefix(2).map { ControlOperation.vouch(user: $0.user, email: $0.email) }
    let vouch = try story.founder.control(words.normalized, seeing: [try #require(last)], stamp: story.next())
    try story.first.control([people[9].signUp(on: story.first.device)], seeing: [vouch], stamp: story.next())
    let outcome = try story.outcome()
    #expect(outcome.voids == ["its device has made too many accounts for which no owner vouches"])
  }
}
