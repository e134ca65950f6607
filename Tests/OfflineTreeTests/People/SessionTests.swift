import OfflineTree
import TestSupport
import Testing

/// Who may act as whom: every story is told in many orders of arrival, and comes to one tree.
@Suite struct SessionTests {
  static let notLoggedIn = "its author is not logged in there"
  static let loggedOut = "its author was logged out, or has another password now"

  @Test func `a change that names a user counts where that user has logged in`() throws {
    var story = try PeopleStory()
    let (ann, ben) = (story.ann, story.ben)
    let device = story.first.device
    try story.first.control([ann.signUp(on: device), ann.logIn(on: device)], stamp: story.next())
    try story.first.write([.put("a", 1)], stamp: story.next(), author: ann.user)
    try story.first.write([.put("b", 1)], stamp: story.next(), author: ben.user)
    try story.second.write([.put("c", 1)], seeing: [story.first.records[2]], stamp: story.next(), author: ann.user)
    let outcome = try story.outcome()
    #expect(outcome.tree == #"{"a":1}"#)
    #expect(outcome.voids == [Self.notLoggedIn, Self.notLoggedIn])
  }

  @Test func `a sign-up, its log-in and what it writes are one change`() throws {
    var story = try PeopleStory()
    let (ann, device) = (story.ann, story.first.device)
    try story.first.control(
      [ann.signUp(on: device), ann.logIn(on: device)].normalized, stamp: story.next(), author: ann.user,
      operations: [.put("a", 1)])
    let outcome = try story.outcome()
    #expect(outcome.tree == #"{"a":1}"#)
    #expect(outcome.voids == [])
  }

  @Test func `nobody brings another's account, log-in or end as their own`() throws {
    var story = try PeopleStory()
    let ann = story.ann
    let (device, thief) = (story.first.device, story.second.device)
    let signUp = try story.first.control([ann.signUp(on: device), ann.logIn(on: device)], stamp: story.next())
    try story.second.control([ann.signUp(on: device)], stamp: story.next())
    try story.second.control([ann.logIn(on: device)], seeing: [signUp], stamp: story.next())
    try story.second.control([ann.logOut(of: device)], stamp: story.next())
    let forged = SessionGrant(
      user: ann.user, publicKey: ann.key.publicKey, random: .zero, signature: ann.key.sign(thief.key.bytes))
    try story.second.control([.session(forged)], stamp: story.next())
    try story.first.write([.put("a", 1)], stamp: story.next(), author: ann.user)
    try story.second.write([.put("b", 1)], stamp: story.next(), author: ann.user)
    let outcome = try story.outcome()
    #expect(outcome.tree == #"{"a":1}"#)
    #expect(
      outcome.voids == [
        Self.notLoggedIn, "its device may not end the session",
        "the user's key has not signed the account for this device",
        "the user's key has not signed the log-in for this device",
        "the user's key has not signed the log-in for this device",
      ])
  }

  @Test func `a log-out voids what comes after it, and what it had not seen`() throws {
    var story = try PeopleStory()
    let (ann, device, other) = (story.ann, story.first.device, story.second.device)
    let signUp = try story.first.control([ann.signUp(on: device), ann.logIn(on: device)], stamp: story.next())
    try story.second.control([ann.logIn(on: other)], seeing: [signUp], stamp: story.next())
    let seen = try story.second.write([.put("seen", 1)], stamp: story.next(), author: ann.user)
    try story.first.write([.put("own", 1)], stamp: story.next(), author: ann.user)
    // From anywhere: ann ends the session on the other device.
    try story.first.control([ann.logOut(of: other)], seeing: [seen], stamp: story.next(), author: ann.user)
    try story.second.write([.put("unseen", 1)], stamp: story.next(), author: ann.user)
    // By the device itself.
    try story.first.control([ann.logOut(of: device)], stamp: story.next())
    try story.first.write([.put("after", 1)], stamp: story.next(), author: ann.user)
    // An old log-in does not come back.
    try story.first.control([ann.logIn(on: device)], stamp: story.next())
    try story.first.write([.put("again", 1)], stamp: story.next(), author: ann.user)
    // A new one does.
    try story.first.control([ann.logIn(on: device, number: 1)], stamp: story.next())
    try story.first.write([.put("new", 1)], stamp: story.next(), author: ann.user)
    let outcome = try story.outcome()
    #expect(outcome.tree == #"{"new":1,"own":1,"seen":1}"#)
    #expect(outcome.voids == [Self.loggedOut, Self.loggedOut, Self.loggedOut])
  }

  @Test func `an owner ends anybody's session, and members only their own`() throws {
    var story = try PeopleStory()
    let (ann, ben, device, other) = (story.ann, story.ben, story.first.device, story.second.device)
    let signUp = try story.first.control([ann.signUp(on: device), ann.logIn(on: device)], stamp: story.next())
    let rival = try story.second.control([ben.signUp(on: other), ben.logIn(on: other)], stamp: story.next())
    try story.first.control([ben.logOut(of: other)], seeing: [rival], stamp: story.next())
    try story.founder.control([ben.logOut(of: other)], seeing: [signUp, rival], stamp: story.next())
    try story.first.write([.put("ann", 1)], stamp: story.next(), author: ann.user)
    try story.second.write([.put("ben", 1)], stamp: story.next(), author: ben.user)
    let outcome = try story.outcome()
    #expect(outcome.tree == #"{"ann":1}"#)
    #expect(outcome.voids == [Self.loggedOut, "its device may not end the session"])
  }

  @Test func `acts about people and acts of devices are separate changes about one person`() throws {
    var story = try PeopleStory()
    let (ann, ben, device) = (story.ann, story.ben, story.founder.device)
    try story.founder.control([ann.signUp(on: device), .deviceName("x")].normalized, stamp: story.next())
    try story.founder.control([.deviceName("x")], stamp: story.next(), author: ann.user)
    try story.founder.control([ann.signUp(on: device), ben.signUp(on: device)].normalized, stamp: story.next())
    try story.founder.control([.retract("a")], stamp: story.next())
    let outcome = try story.outcome()
    #expect(
      outcome.voids == [
        "it acts for a person and for a device", "it acts for a person and for a device", "it is about several people",
        "it takes an element back and names nobody",
      ])
  }
}

extension ControlOperation {
  static func retract(_ path: String) -> ControlOperation { .retract(PathKey(path)) }
}
