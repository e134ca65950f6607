import TestSupport
import Testing

@testable import OfflineTree

/// Somebody knows a password that the account had, and has devices that have not heard of what came after it.
@Suite struct OldPasswordTests {
  private static let stolen = "a third uncommon phrase"
  private static let late = "a fourth uncommon phrase"
  private static let final = "the final uncommon phrase"

  /// ann signs up on device 0 and sets another password; the thief, who knows the first one, sets one on device 1 without
  /// having heard of that. Devices 2 and 3 are the thief's, and know of the sign-up alone.
  private func theft() throws -> (people: PeopleFleet, made: SignUp) {
    let people = try PeopleFleet(4)
    let made = try people.signUp(0)
    for index in 1...3 { try people.sync(0, index) }
    try update(people, 0, to: PeopleFleet.other)
    try steal(people, 1, to: Self.stolen)
    try people.sync(0, 1)
    #expect(try people[0].users().map(\.isContested) == [true, true])
    return (people, made)
  }

  private func update(_ people: PeopleFleet, _ index: Int, from old: String = PeopleFleet.password, to new: String)
    throws
  {
    try people[index].updatePassword(from: Password(text: old), to: Password(text: new))
  }

  private func steal(_ people: PeopleFleet, _ index: Int, to new: String) throws {
    try people.signIn(index)
    try update(people, index, to: new)
  }

  private func recover(_ people: PeopleFleet, _ made: SignUp) throws {
    try people[0].recover(
      withEmail: "ada@example.org", code: made.recoveryCode, newPassword: Password(text: Self.final))
  }

  private func current(_ people: PeopleFleet, _ index: Int = 0) throws -> [Bytes32] {
    try people[index].users().map(\.publicKey)
  }

  @Test func `after a recovery no password that the account had takes it again`() throws {
    let (people, made) = try theft()
    try recover(people, made)
    let kept = try current(people)
    #expect(kept.count == 1)
    try steal(people, 2, to: Self.late)
    try update(people, 1, from: Self.stolen, to: Self.late)
    for index in 1...2 { try people.sync(0, index) }
    for index in 0...2 {
      #expect(try current(people, index) == kept)
      for password in [PeopleFleet.password, PeopleFleet.other, Self.stolen, Self.late] {
        people.fleet.members[index].clock.advance(by: 1_000_000)
        #expect(error { try people.signIn(index, password: password) }?.code == .wrongPassword)
      }
    }
    #expect(try people.signIn(2, password: Self.final) == made.user)
  }

  @Test func `after an owner has kept one state no password that the account had takes it again`() throws {
    let (people, made) = try theft()
    let kept = try #require(try people.fleet[0].sessions(of: made.user.uid).first { $0.isOwn }?.publicKey)
    try people[0].resolve(made.user.uid, keeping: kept)
    try steal(people, 2, to: Self.late)
    try people.sync(0, 2)
    #expect(try current(people) == [kept] && current(people, 2) == [kept])
    #expect(try people[0].currentUser == made.user)
    #expect(try people.signIn(2, password: PeopleFleet.other) == made.user)
  }

  @Test func `a deletion alone does not stop an old password on a device that has not heard of it, and an owner does`()
    throws
  {
    let (people, made) = try theft()
    try people[0].delete(password: Password(text: PeopleFleet.other))
    #expect(try current(people) == [])
    try steal(people, 2, to: Self.late)
    try people.sync(0, 2)
    #expect(try current(people).count == 1)
    try people[0].resolve(made.user.uid, keeping: nil)
    try steal(people, 3, to: Self.final)
    try people.sync(0, 3)
    #expect(try current(people) == [] && current(people, 3) == [])
  }

  @Test func `an owner ends for good what was deleted`() throws {
    let (people, made) = try theft()
    try people[0].delete(password: Password(text: PeopleFleet.other))
    try people[0].resolve(made.user.uid, keeping: nil)
    try steal(people, 2, to: Self.late)
    try people.sync(0, 2)
    #expect(try current(people) == [])
  }

  @Test func `who recovers before they delete is deleted for old passwords too`() throws {
    let (people, made) = try theft()
    try recover(people, made)
    try people[0].delete(password: Password(text: Self.final))
    try steal(people, 2, to: Self.late)
    try people.sync(0, 2)
    #expect(try current(people) == [])
  }

  @Test func `however many keys an account had, all end, and the newest first`() {
    let states = (0..<5_000).map { number in
      var writer = ByteWriter()
      for _ in 0..<4 { writer.u64(UInt64(number)) }
      let fate: PastState.Fate = number < 2 ? .current : number < 2_500 ? .ended : .void
      return PastState(account: account(Bytes32(writer.bytes)), fate: fate)
    }
    let keys = states.map(\.account.publicKey)
    let parts = Auth.ends(of: states, but: keys[0], first: keys[700])
    #expect(parts.map(\.count) == [1_000, 1_000, 499])
    let ended = parts.joined().compactMap { act -> Bytes32? in
      if case .end(.userKey(_, let key)) = act { key } else { nil }
    }
    #expect(ended == [keys[700]] + keys[1..<700] + keys[701..<2_500])
    // What anybody can write without end has the room that is left in one change.
    #expect(Auth.ends(of: Array(states[2_400...]), but: nil).map(\.count) == [1_000])
  }

  private func account(_ key: Bytes32) -> Account {
    Account(
      user: Account.userID(space: .zero, publicKey: .zero, random: .zero), version: 0, email: "a@b.c", username: "A",
      publicKey: key, recoveryKey: .zero, profile: 1, salt: .zero, nonce: [], box: [])
  }
}
