import TestSupport
import Testing

@testable import OfflineTree

/// Which account a log-in means, and who stays logged in when it goes wrong.
@Suite struct LogInChoiceTests {
  private func state(
    _ user: UInt64, version: UInt64 = 0, key: UInt64 = 0, isVouched: Bool = false
  ) -> AccountState {
    var (random, publicKey) = (ByteWriter(), ByteWriter())
    for _ in 0..<2 { random.u64(user) }
    for _ in 0..<4 { publicKey.u64(key) }
    let account = Account(
      user: Account.userID(space: .zero, publicKey: .zero, random: Bytes16(random.bytes)), version: version,
      email: "a@b.c", username: "A", publicKey: Bytes32(publicKey.bytes), recoveryKey: .zero, profile: 1, salt: .zero,
      nonce: [], box: [])
    return AccountState(
      account: account, device: .zero, deviceName: "d", stamp: .zero, createdAt: 0, isVouched: isVouched,
      isContested: false)
  }

  @Test func `two states of one account are tried at most, the newest, and leave room for other accounts`() {
    let rivals = (0..<9).map { state(1, version: $0 == 7 ? 2 : 1, key: $0) }
    let others = [state(2), state(3), state(4)]
    let candidates = Auth.candidates(among: rivals + others, used: [])
    #expect(candidates.map(\.account) == [rivals[7], rivals[0], others[0], others[1]].map(\.account))
    let used = Auth.candidates(among: rivals + others, used: [others[2].account.user])
    #expect(used.map(\.account) == [others[2], rivals[7], rivals[0], others[0]].map(\.account))
    let alone = Auth.candidates(among: rivals, used: [], perUser: 4)
    #expect(alone.map(\.account) == [7, 0, 1, 2].map { rivals[$0].account })
  }

  @Test func `whoever is crowded out of the four by their email names their account`() throws {
    let people = try PeopleFleet()
    for number in 0..<6 {
      try HostileAccount.write(people.fleet[1], email: "ada@example.org", boxUnder: "guess number \(number)")
    }
    people.fleet.members[0].clock.advance(by: 60_000)
    let made = try people.signUp(0)
    try people.sync(0, 1)
    let failure = error { try people.signIn(1) }
    #expect(failure?.code == .wrongPassword)
    #expect(failure?.context.hasPrefix("7 accounts claim the email ada@example.org") == true)
    let auth = people[1]
    let password = try Password(text: PeopleFleet.password)
    let user = try auth.signIn(withEmail: "ada@example.org", password: password, user: made.user.uid)
    #expect(user == made.user)
    #expect(auth.checks.withLock { $0 } == 1)
    let other = error { try auth.signIn(withEmail: "eve@example.org", password: password, user: made.user.uid) }
    #expect(other?.code == .userNotFound)
  }

  @Test func `a log-in that fails puts nobody back over somebody who has logged in meanwhile`() throws {
    let people = try PeopleFleet(1)
    let (auth, ada) = (people[0], try people.signUp(0).user)
    let later = LoginFile.Login(user: ada.uid, session: Bytes16(0..<16), publicKey: .zero)
    let key = try #require(
      try AccountKey(
        opening: try people.fleet[0].accounts(of: ada.uid)[0].account, Password(text: PeopleFleet.password)))
    let before = try auth.logins.read()
    struct Failure: Error {}
    #expect(throws: Failure.self) { _ = try auth.logIn(auth.newSession(key)) { throw Failure() } }
    #expect(try auth.logins.read() == before)
    #expect(throws: Failure.self) {
      _ = try auth.logIn(auth.newSession(key)) {
        try auth.logins.change { $0.setCurrent(later) }
        throw Failure()
      }
    }
    #expect(try auth.logins.read().current == later)
  }

  @Test func `who cannot be logged out before somebody else is named, and the log-in stands`() throws {
    let people = try PeopleFleet(1)
    let (auth, ada) = (people[0], try people.signUp(0).user)
    let former = try auth.standing()
    try auth.signOut()
    let bob = try people.signUp(0, "bob@example.org", password: PeopleFleet.other).user
    // The session has ended, and so its end cannot be said as her.
    let failure = error { try auth.leave(former, for: bob.uid) }
    #expect(failure?.code == .refused)
    #expect(failure?.context.contains("the log-in stands, but ada@example.org could not be logged out") == true)
    #expect(error { try auth.leave(former, for: ada.uid) } == nil)
    #expect(try auth.currentUser == bob)
  }
}
