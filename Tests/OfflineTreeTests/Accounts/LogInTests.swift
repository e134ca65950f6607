import TestSupport
import Testing

@testable import OfflineTree

@Suite struct LogInTests {
  @Test func `who signed up elsewhere logs in with the same email and password, and no network`() throws {
    let people = try PeopleFleet()
    let user = try people.signUp(0).user
    try people.sync(0, 1)
    #expect(try people.signIn(1, "ADA@example.org ") == user)
    #expect(try people[1].currentUser == user)
    #expect(error { try people.signIn(1, password: PeopleFleet.other) }?.code == .wrongPassword)
    #expect(error { try people.signIn(1, "eve@example.org") }?.code == .userNotFound)
    #expect(error { try people.signIn(1, "eve") }?.code == .invalidEmail)
    #expect(try people[1].currentUser == user)
  }

  @Test func `references write as whoever is logged in, for as long as they are`() async throws {
    let people = try PeopleFleet(1)
    let database = people.fleet[0]
    let user = try people.signUp(0).user
    // The object that logged in is gone, and the log-in stands.
    #expect(try database.actingUser?() == user.uid)
    try await database.reference(withPath: "note").setValue("mine")
    #expect(try database.read { try $0.value(at: try Path("note")) } == "mine")
    try people[0].signOut()
    #expect(try database.actingUser?() == nil)
  }

  @Test func `a log-in whose session stands writes nothing`() throws {
    let people = try PeopleFleet(1)
    try people.signUp(0)
    let position = try people.fleet[0].ownPosition()
    try people.signIn(0)
    try people.fleet.reopen(0)
    try people.signIn(0)
    #expect(try people.fleet[0].ownPosition() == position)
    #expect(try people[0].sessions().count == 1)
  }

  @Test func `who logs out is gone, and what is written as them is refused`() throws {
    let people = try PeopleFleet(1)
    let user = try people.signUp(0).user
    let path = try people[0].entry(of: user.uid).child("note")
    try people.fleet[0].write(as: user.uid) { try $0.setValue("mine", at: path) }
    try people[0].signOut()
    #expect(try people[0].currentUser == nil)
    #expect(try people[0].signOutReason == nil)
    #expect(try people[0].sessions() == [])
    #expect(error { try people.fleet[0].write(as: user.uid) { try $0.setValue("late", at: path) } }?.code == .refused)
    try people[0].signOut()
    try people.signIn(0)
    try people.fleet[0].write(as: user.uid) { try $0.setValue("again", at: path) }
  }

  @Test func `who logs in takes the place of who was`() throws {
    let people = try PeopleFleet(1)
    let ada = try people.signUp(0).user
    let bob = try people.signUp(0, "bob@example.org", password: PeopleFleet.other).user
    #expect(try people[0].currentUser == bob)
    #expect(try people.fleet[0].sessions(of: ada.uid) == [])
    #expect(try people.signIn(0) == ada)
    #expect(try people.fleet[0].sessions(of: bob.uid) == [])
    #expect(error { try people.signIn(0, "bob@example.org") }?.code == .wrongPassword)
    #expect(try people[0].currentUser == ada)
  }

  @Test func `sessions are listed, and ended from anywhere`() throws {
    let people = try PeopleFleet(3)
    let user = try people.signUp(0).user
    try people.sync(0, 1)
    try people.sync(0, 2)
    try people.signIn(1)
    try people.signIn(2)
    try people.sync(0, 1)
    try people.sync(0, 2)
    #expect(try people[0].sessions().map(\.deviceName).sorted() == ["d0", "d1", "d2"])
    let second = try #require(try people[0].sessions().first { $0.deviceName == "d1" })
    try people[0].endSession(second.id)
    #expect(error { try people[0].endSession(second.id) }?.code == .notFound)
    try people.sync(0, 1)
    #expect(try people[1].currentUser == nil)
    #expect(try people[1].signOutReason == .sessionEnded)
    #expect(try people[0].currentUser == user)
    try people[0].signOut(everywhere: true)
    try people.sync(0, 2)
    #expect(try people[2].signOutReason == .sessionEnded)
    #expect(
      error { try people[2].updatePassword(from: Password(text: "a"), to: Password(text: "b")) }?.code == .refused)
    try people[2].signOut()
    #expect(try people[2].signOutReason == nil)
  }

  @Test func `five wrong passwords in a row make the next one wait, in whatever process`() throws {
    let people = try PeopleFleet()
    try people.signUp(0)
    try people.sync(0, 1)
    for _ in 0..<5 { #expect(error { try people.signIn(1, password: PeopleFleet.other) }?.code == .wrongPassword) }
    let auth = people[1]
    let early = error { try auth.signIn(withEmail: "ada@example.org", password: Password(text: PeopleFleet.password)) }
    #expect(early?.code == .tooManyRequests)
    #expect(early?.context.contains("wait 1 s") == true)
    #expect(auth.checks.withLock { $0 } == 0)
    people.fleet.members[1].clock.advance(by: 1_000)
    try people.signIn(1)
  }

  @Test func `a home that is opened again, copied or put back from a backup stays logged in`() throws {
    let people = try PeopleFleet(2)
    let user = try people.signUp(1).user
    try people.fleet.reopen(1)
    #expect(try people[1].currentUser == user)
    let backup = try people.fleet.backUp(1)
    try people.fleet[1].write(as: user.uid) { try $0.setValue("later", at: try Path("users").child(user.uid)) }
    try people.fleet.restore(1, from: backup, inPlace: false)
    #expect(try people[1].currentUser == user)
    try people.fleet[1].write(as: user.uid) { try $0.setValue("again", at: try Path("users").child(user.uid)) }
  }

  @Test func `the awaiting doors do the same`() async throws {
    let people = try PeopleFleet(1)
    let auth = people[0]
    let made = try await auth.createUser(
      withEmail: "ada@example.org", password: Password(text: PeopleFleet.password), username: "Ada")
    try await auth.updatePassword(from: Password(text: PeopleFleet.password), to: Password(text: PeopleFleet.other))
    try auth.signOut()
    #expect(
      try await auth.signIn(withEmail: "ada@example.org", password: Password(text: PeopleFleet.other)) == made.user)
    try await auth.delete(password: Password(text: PeopleFleet.other))
    #expect(try auth.users() == [])
  }
}
