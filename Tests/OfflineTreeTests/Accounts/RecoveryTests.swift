import TestSupport
import Testing

@testable import OfflineTree

/// The recovery code gives an account back, whatever somebody has done to it.
@Suite struct RecoveryTests {
  private static let final = "the final uncommon phrase"

  private func recover(
    _ people: PeopleFleet, _ index: Int, _ made: SignUp, _ email: String = "ada@example.org", user: Key? = nil
  ) throws -> User {
    try people[index].recover(
      withEmail: email, code: made.recoveryCode, newPassword: Password(text: Self.final), user: user)
  }

  /// The thief knows the password, and has device 1.
  private func theft() throws -> (people: PeopleFleet, made: SignUp) {
    let people = try PeopleFleet()
    let made = try people.signUp(0)
    try people.sync(0, 1)
    try people.signIn(1)
    return (people, made)
  }

  @Test func `an account whose email and name a thief has changed comes back with the old ones`() throws {
    let (people, made) = try theft()
    let password = try Password(text: PeopleFleet.password)
    try people[1].updateEmail(to: "thief@example.org", password: password)
    try people[1].updateUsername(to: "Thief", password: password)
    try people.sync(0, 1)
    #expect(error { try people.signIn(0) }?.code == .userNotFound)
    #expect(try recover(people, 0, made) == made.user)
    let profile = try #require(try people[0].profile(of: made.user.uid))
    #expect(profile.email == "ada@example.org" && profile.username == "Ada")
    try people.sync(0, 1)
    #expect(try people[1].currentUser == nil)
    #expect(error { try people.signIn(1, "thief@example.org") }?.code == .userNotFound)
    #expect(try people.signIn(1, password: Self.final) == made.user)
  }

  @Test func `who types the newer email keeps it`() throws {
    let (people, made) = try theft()
    try people[0].updateEmail(to: "countess@example.org", password: Password(text: PeopleFleet.password))
    #expect(try recover(people, 0, made, "countess@example.org").email == "countess@example.org")
    #expect(try people[0].profile(of: made.user.uid)?.email == "countess@example.org")
  }

  @Test func `an account that a thief has deleted comes back, without its entry`() throws {
    let (people, made) = try theft()
    try people[1].delete(password: Password(text: PeopleFleet.password))
    try people.sync(0, 1)
    #expect(try people[0].signOutReason == .accountGone)
    #expect(try recover(people, 0, made) == made.user)
    #expect(try people[0].currentUser == made.user)
    #expect(try people[0].profile(of: made.user.uid) == nil)
    try people.sync(0, 1)
    #expect(try people.signIn(1, password: Self.final) == made.user)
    let wrong = RecoveryCode(for: .account)
    let failure = error {
      try people[0].recover(withEmail: "ada@example.org", code: wrong, newPassword: Password(text: Self.final))
    }
    #expect(failure?.code == .wrongPassword)
  }

  @Test func `who copies the public half of a code keeps nobody from their account`() throws {
    let people = try PeopleFleet()
    // An older account with ann's email and recovery key.
    let code = RecoveryCode(for: .account)
    let forged = try HostileAccount.write(people.fleet[1], email: "ada@example.org", recoveryKey: code.publicKey)
    people.fleet.members[0].clock.advance(by: 5_000)
    let own = try HostileAccount.write(people.fleet[0], email: "ada@example.org", recoveryKey: code.publicKey)
    try people.sync(0, 1)
    let new = try Password(text: Self.final)
    let failure = error { try people[0].recover(withEmail: "ada@example.org", code: code, newPassword: new) }
    #expect(failure?.code == .refused)
    #expect(failure?.context.contains(own.text) == true && failure?.context.contains(forged.text) == true)
    let user = try people[0].recover(withEmail: "ada@example.org", code: code, newPassword: new, user: own)
    #expect(user.uid == own)
    let nobody = error {
      try people[0].recover(withEmail: "eve@example.org", code: code, newPassword: new, user: own)
    }
    #expect(nobody?.code == .userNotFound)
  }

  @Test func `a recovery ends more keys than one change has room for, each for who has not heard of it too`() throws {
    let people = try PeopleFleet()
    let code = RecoveryCode(for: .account)
    let user = try HostileAccount.write(people.fleet[0], email: "ada@example.org", recoveryKey: code.publicKey)
    let first = try people.fleet[0].accounts(of: user)[0].account
    let keys = (0..<1_100).map { TestPerson.key("key \($0)") }
    for part in [keys[..<550], keys[550...]] {
      let acts = part.map { HostileAccount.rekey(first, to: $0, people.fleet[0]) { (code.publicKey, code.sign($0)) } }
      try people.fleet[0].write { transaction in
        for act in acts { transaction.act(act) }
      }
    }
    try people.sync(0, 1)
    #expect(try people[0].users().count == keys.count)
    let before = try people.fleet[0].ownPosition()?.seq
    try people[0].recover(withEmail: "ada@example.org", code: code, newPassword: Password(text: Self.final))
    #expect(try people.fleet[0].ownPosition()?.seq == before.map { $0 + 2 })
    let kept = try people[0].users().map(\.publicKey)
    #expect(kept.count == 1)
    // Whose end is in the last change.
    let last = try #require(keys.max { $0.publicKey < $1.publicKey })
    let old = try #require(try people.fleet[1].accounts(of: user).first { $0.account.publicKey == last.publicKey })
    let late = HostileAccount.rekey(old.account, to: TestPerson.key("late"), people.fleet[1]) {
      (last.publicKey, last.sign($0))
    }
    try people.fleet[1].write { $0.act(late) }
    try people.sync(0, 1)
    for index in 0...1 { #expect(try people[index].users().map(\.publicKey) == kept) }
  }
}
