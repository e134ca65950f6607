import TestSupport
import Testing

@testable import OfflineTree

@Suite struct AccountChangeTests {
  /// Signed up on device 0, logged in on device 1.
  private func twoDevices(_ count: Int = 2) throws -> (people: PeopleFleet, made: SignUp) {
    let people = try PeopleFleet(count)
    let made = try people.signUp(0)
    for index in 1..<count { try people.sync(0, index) }
    try people.signIn(1)
    try people.sync(0, 1)
    return (people, made)
  }

  private func update(_ people: PeopleFleet, _ index: Int, to new: String) throws {
    try people[index].updatePassword(from: Password(text: PeopleFleet.password), to: Password(text: new))
  }

  @Test func `a new password counts after the sync, and the old one no longer`() throws {
    let (people, made) = try twoDevices()
    try update(people, 0, to: PeopleFleet.other)
    #expect(try people[0].currentUser == made.user)
    #expect(try people[1].currentUser == made.user)
    #expect(try people.signIn(1) == made.user)
    try people.sync(0, 1)
    #expect(try people[1].currentUser == nil)
    guard case .accountChanged(deviceName: "d0", at: .some)? = try people[1].signOutReason else {
      Issue.record("\(String(describing: try people[1].signOutReason))")
      return
    }
    #expect(error { try people.signIn(1) }?.code == .wrongPassword)
    #expect(try people.signIn(1, password: PeopleFleet.other) == made.user)
    #expect(try people[0].users().count == 1)
  }

  @Test func `a wrong or weak password changes nothing`() throws {
    let (people, made) = try twoDevices()
    let position = try people.fleet[0].ownPosition()
    let (right, wrong) = (try Password(text: PeopleFleet.password), try Password(text: PeopleFleet.other))
    let auth = people[0]
    #expect(error { try auth.updatePassword(from: wrong, to: right) }?.code == .wrongPassword)
    #expect(error { try auth.updatePassword(from: right, to: Password(text: "password")) }?.code == .weakPassword)
    #expect(error { try auth.updateEmail(to: "x@y.z", password: wrong) }?.code == .wrongPassword)
    #expect(error { try auth.delete(password: wrong) }?.code == .wrongPassword)
    #expect(try people.fleet[0].ownPosition() == position)
    #expect(try auth.currentUser == made.user)
  }

  @Test func `another email and username stand in the account and the entry`() throws {
    let (people, made) = try twoDevices()
    try people[0].vouch(for: made.user.uid)
    #expect(try people[0].currentUser?.isEmailVerified == true)
    let password = try Password(text: PeopleFleet.password)
    try people.signUp(1, "bob@example.org")
    try people.sync(0, 1)
    #expect(error { try people[0].updateEmail(to: "Bob@example.org", password: password) }?.code == .emailAlreadyInUse)
    let user = try people[0].updateEmail(to: "Countess@example.org", password: password)
    #expect(user.email == "countess@example.org" && user.uid == made.user.uid && !user.isEmailVerified)
    let named = try people[0].updateUsername(to: "Countess", password: password)
    #expect(named.username == "Countess")
    let profile = try #require(try people[0].profile(of: user.uid))
    #expect(profile.email == "countess@example.org" && profile.username == "Countess")
    #expect(try people[0].currentUser == named)
    try people.sync(0, 1)
    #expect(error { try people.signIn(1) }?.code == .userNotFound)
    #expect(try people.signIn(1, "countess@example.org") == named)
  }

  @Test func `the recovery code sets a new password on a device that has only synced`() throws {
    let (people, made) = try twoDevices(3)
    let (auth, new) = (people[2], try Password(text: PeopleFleet.other))
    let wrong = RecoveryCode(for: .account)
    #expect(
      error { try auth.recover(withEmail: "ada@example.org", code: wrong, newPassword: new) }?.code == .wrongPassword)
    #expect(
      error { try auth.recover(withEmail: "a@b.c", code: made.recoveryCode, newPassword: new) }?.code == .userNotFound)
    let typed = try RecoveryCode(parsing: made.recoveryCode.text, for: .account)
    #expect(try auth.recover(withEmail: "ada@example.org", code: typed, newPassword: new) == made.user)
    #expect(try auth.currentUser == made.user)
    try people.sync(0, 2)
    #expect(try people[0].currentUser == nil)
    #expect(error { try people.signIn(0) }?.code == .wrongPassword)
    #expect(try people.signIn(0, password: PeopleFleet.other) == made.user)
  }

  @Test func `two passwords set apart both count until the code decides`() throws {
    let (people, made) = try twoDevices(3)
    let third = "a third uncommon phrase"
    try update(people, 0, to: PeopleFleet.other)
    try update(people, 1, to: third)
    try people.sync(0, 1)
    try people.sync(1, 2)
    #expect(try people[2].users().map(\.isContested) == [true, true])
    #expect(try people[2].users().map(\.isSecondWithEmail) == [false, false])
    for password in [PeopleFleet.other, third] { #expect(try people.signIn(2, password: password) == made.user) }
    #expect(error { try people[0].vouch(for: made.user.uid) }?.code == .refused)
    let final = try Password(text: "the final uncommon phrase")
    try people[2].recover(withEmail: "ada@example.org", code: made.recoveryCode, newPassword: final)
    try people.sync(0, 2)
    try people.sync(0, 1)
    for index in 0...1 {
      #expect(try people[index].users().map(\.isContested) == [false])
      #expect(try people[index].currentUser == nil)
      for password in [PeopleFleet.other, third] {
        #expect(error { try people.signIn(index, password: password) }?.code == .wrongPassword)
      }
    }
  }

  @Test func `an owner decides between two passwords, and nobody else`() throws {
    let (people, made) = try twoDevices()
    try update(people, 0, to: PeopleFleet.other)
    try update(people, 1, to: "a third uncommon phrase")
    try people.sync(0, 1)
    let kept = try #require(try people.fleet[0].sessions(of: made.user.uid).first { $0.isOwn }?.publicKey)
    #expect(error { try people[1].resolve(made.user.uid, keeping: kept) }?.code == .refused)
    #expect(error { try people[0].resolve(made.user.uid, keeping: .zero) }?.code == .notFound)
    #expect(error { try people[0].resolve(try Key("nobody"), keeping: nil) }?.code == .userNotFound)
    try people[0].resolve(made.user.uid, keeping: kept)
    try people.sync(0, 1)
    #expect(try people[1].users().map(\.publicKey) == [kept])
    #expect(try people[0].currentUser == made.user)
    #expect(try people[1].currentUser == nil)
    try people[0].resolve(made.user.uid, keeping: nil)
    #expect(try people[0].users() == [])
  }

  @Test func `two people who sign up with one email apart both live on`() throws {
    let people = try PeopleFleet(3)
    let first = try people.signUp(0).user
    people.fleet.members[1].clock.advance(by: 5_000)
    let second = try people.signUp(1, password: PeopleFleet.other).user
    try people.sync(0, 1)
    try people.sync(0, 2)
    let users = try people[2].users()
    #expect(users.map(\.user) == [first, second])
    #expect(users.map(\.isSecondWithEmail) == [false, true])
    #expect(users.map(\.deviceName) == ["d0", "d1"])
    #expect(try people.signIn(2) == first)
    #expect(try people.signIn(2, password: PeopleFleet.other) == second)
    try people[0].vouch(for: second.uid)
    try people.sync(0, 2)
    #expect(try people[2].users().map(\.user.uid) == [second.uid, first.uid])
    #expect(try people[2].users().map(\.user.isEmailVerified) == [true, false])
    #expect(error { try people[1].vouch(for: first.uid) }?.code == .refused)
  }

  @Test func `a deleted account and its entry go in one change, on all devices`() throws {
    let (people, made) = try twoDevices()
    let before = try #require(try people.fleet[0].ownPosition()?.seq)
    try people[0].delete(password: Password(text: PeopleFleet.password))
    #expect(try people.fleet[0].ownPosition()?.seq == before + 1)
    #expect(try people[0].currentUser == nil)
    #expect(try people[0].signOutReason == nil)
    try people.sync(0, 1)
    #expect(try people[1].profile(of: made.user.uid) == nil)
    #expect(try people[1].signOutReason == .accountGone)
    #expect(error { try people.signIn(1) }?.code == .userNotFound)
    try people.signUp(1)
  }
}
