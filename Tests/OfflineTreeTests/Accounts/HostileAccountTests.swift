import Foundation
import TestSupport
import Testing

@testable import OfflineTree

/// What records of others may cost and do, and what of a person is written anywhere.
@Suite struct HostileAccountTests {
  @Test func `a record whose profile is not in the list costs nothing and opens nothing`() throws {
    let people = try PeopleFleet()
    for profile in [UInt8(0), 3, 255] {
      try HostileAccount.write(
        people.fleet[1], email: "ada@example.org", profile: profile, boxUnder: PeopleFleet.password, isOwnSeed: true)
    }
    try people.sync(0, 1)
    let auth = people[0]
    let password = try Password(text: PeopleFleet.password)
    #expect(error { try auth.signIn(withEmail: "ada@example.org", password: password) }?.code == .wrongPassword)
    #expect(auth.checks.withLock { $0 } == 0)
  }

  @Test func `a box that opens to another seed shows nothing and writes nothing`() throws {
    let people = try PeopleFleet()
    try HostileAccount.write(people.fleet[1], email: "ada@example.org", profile: 1, boxUnder: PeopleFleet.password)
    try people.sync(0, 1)
    let position = try people.fleet[0].ownPosition()
    #expect(error { try people.signIn(0) }?.code == .wrongPassword)
    #expect(try people[0].currentUser == nil)
    #expect(try people.fleet[0].ownPosition() == position)
    // The same record with its own seed opens: it was the seed that was refused.
    try HostileAccount.write(
      people.fleet[1], email: "eve@example.org", profile: 1, boxUnder: PeopleFleet.password, isOwnSeed: true)
    try people.sync(0, 1)
    try people.signIn(0, "eve@example.org")
  }

  @Test func `however many accounts have the email, four are tried, and the one that was used here first`() throws {
    let people = try PeopleFleet()
    for number in 0..<7 {
      try HostileAccount.write(
        people.fleet[1], email: "ada@example.org", profile: 1, boxUnder: "guess number \(number)")
    }
    let mine = try people.signUp(0, "later@example.org").user
    try people.sync(0, 1)
    let auth = people[0]
    let wrong = try Password(text: PeopleFleet.other)
    #expect(error { try auth.signIn(withEmail: "ada@example.org", password: wrong) }?.code == .wrongPassword)
    #expect(auth.checks.withLock { $0 } == 4)
    let password = try Password(text: PeopleFleet.password)
    try auth.updateEmail(to: "later2@example.org", password: password)
    #expect(try auth.currentUser?.uid == mine.uid)
  }

  private func states(_ count: Int) -> [AccountState] {
    (0..<count).map { number in
      var writer = ByteWriter()
      writer.u64(UInt64(number))
      writer.u64(0)
      let user = Account.userID(space: .zero, publicKey: .zero, random: Bytes16(writer.bytes))
      let account = Account(
        user: user, version: 0, email: "a@b.c", username: "A", publicKey: .zero, recoveryKey: .zero,
        profile: number.isMultiple(of: 2) ? 1 : 99, salt: .zero, nonce: [], box: [])
      return AccountState(
        account: account, device: .zero, deviceName: "d", stamp: .zero, createdAt: 0, isVouched: false,
        isContested: false)
    }
  }

  @Test func `of ten thousand accounts the four come first that were used here, then in their order`() {
    let all = states(10_000)
    let candidates = { (used: [Int]) in
      Auth.candidates(among: all, used: used.map { all[$0].account.user }).map { $0.account.user }
    }
    #expect(candidates([]) == [0, 2, 4, 6].map { all[$0].account.user })
    #expect(candidates([9_998, 5_001]) == [9_998, 0, 2, 4].map { all[$0].account.user })
    #expect(Auth.candidates(among: [], used: []).isEmpty)
  }

  @Test func `among a thousand accounts the right one is opened with one look at the password`() throws {
    let people = try PeopleFleet(1)
    let opening = try Sodium.passwordKey(Password(text: PeopleFleet.password).secret, salt: .zero, .smallest)
    for number in 0..<1_000 {
      try HostileAccount.write(
        people.fleet[0], email: "p\(number)@example.org", profile: 1, opening: opening, isOwnSeed: true)
    }
    let auth = people[0]
    #expect(try auth.users().count == 1_000)
    let password = try Password(text: PeopleFleet.password)
    let user = try auth.signIn(withEmail: "p777@example.org", password: password)
    #expect(user.email.utf8.elementsEqual("p777@example.org".utf8))
    #expect(auth.checks.withLock { $0 } == 1)
  }

  @Test func `the password, the code and the key's seed are in no file of the home and in no error`() throws {
    let people = try PeopleFleet()
    let clock = people.fleet.members[0].clock
    let seeds = Monitor<[[UInt8]]>([])
    people.fleet.close(0)
    var environment = clock.environment
    environment.randomBytes = { count in
      let bytes = clock.bytes(count)
      if count == 32 || count == 17 { seeds.withLock { $0.append(bytes) } }
      return bytes
    }
    let database = try Database.open(
      at: people.fleet.members[0].home, environment: environment, options: Fleet.options)
    let auth = Auth(database, profile: .smallest)
    let words = ["first secret phrase", "second secret phrase", "third secret phrase"]
    let made = try auth.createUser(withEmail: "ada@example.org", password: Password(text: words[0]), username: "Ada")
    try auth.updatePassword(from: Password(text: words[0]), to: Password(text: words[1]))
    let failure = error { try auth.signIn(withEmail: "ada@example.org", password: Password(text: words[2])) }
    try auth.recover(withEmail: "ada@example.org", code: made.recoveryCode, newPassword: Password(text: words[2]))
    database.close()
    let code = made.recoveryCode.text
    let secrets =
      words.map { Array($0.utf8) } + seeds.withLock { $0 } + [Array(code.utf8)]
      + [Array(code.utf8.filter { $0 != UInt8(ascii: "-") })]
    // Three keys and the code's bits.
    #expect(seeds.withLock { $0.count } == 4)
    var count = 0
    for name in try FileManager.default.subpathsOfDirectory(atPath: database.home) {
      guard let content = FileManager.default.contents(atPath: "\(database.home)/\(name)") else { continue }
      count += content.count
      for secret in secrets { #expect(content.range(of: Data(secret)) == nil, "\(name)") }
    }
    #expect(count > 10_000)
    #expect(failure?.code == .wrongPassword)
    for word in words { #expect(failure?.description.contains(word) == false) }
    for file in ["user", "attempts"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: "\(database.home)/\(file)")
      #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }
}
