import TestSupport
import Testing

@testable import OfflineTree

@Suite(.timeLimit(.minutes(60))) struct AuthWatchingTests {
  @Test func `who watches is told who is logged in, and when a sync ends that`() async throws {
    let people = try PeopleFleet()
    let user = try people.signUp(0).user
    try people.sync(0, 1)
    var changes = people[1].stateChanges.makeAsyncIterator()
    #expect(try await changes.next() == .some(nil))
    try people.signIn(1)
    #expect(try await changes.next() == user)
    try people.sync(0, 1)
    let (old, new) = (try Password(text: PeopleFleet.password), try Password(text: PeopleFleet.other))
    try await people[0].updatePassword(from: old, to: new)
    try people.sync(0, 1)
    #expect(try await changes.next() == .some(nil))
    try people.signIn(1, password: PeopleFleet.other)
    #expect(try await changes.next() == user)
    try people[1].signOut()
    #expect(try await changes.next() == .some(nil))
  }

  @Test func `a log-in of another process of the home is told, also one that writes nothing`() async throws {
    let people = try PeopleFleet(1)
    let user = try people.signUp(0).user
    let session = try #require(try people[0].logins.read().current)
    // Out here alone: the session stands, as for somebody who uses several homes' programs.
    try people[0].logins.change { $0.current = nil }
    var changes = people[0].stateChanges.makeAsyncIterator()
    #expect(try await changes.next() == .some(nil))
    let home = people.fleet.members[0].home
    await #expect(processExitsWith: .success) { [home = home as String] in
      let database = try Database.open(at: home, options: Database.Options(durability: .unsafeNoSync))
      try Auth(database, profile: .smallest)
        .signIn(withEmail: "ada@example.org", password: Password(text: PeopleFleet.password))
      database.close()
    }
    #expect(try await changes.next() == user)
    #expect(try people[0].logins.read().current == session)
  }
}
