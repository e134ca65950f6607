import TestSupport
import Testing

@testable import OfflineTree

@Suite struct SignUpTests {
  @Test func `a sign-up makes an account, a log-in and an entry in one change`() throws {
    let people = try PeopleFleet()
    let before = try #require(try people.fleet[1].ownPosition()?.seq)
    let time = people.fleet.members[1].clock.now
    let made = try people.signUp(1, " Ada@Example.org ")
    #expect(try people.fleet[1].ownPosition()?.seq == before + 1)
    #expect(made.user.email.utf8.elementsEqual("ada@example.org".utf8))
    #expect(made.user.createdAt == time && !made.user.isEmailVerified && Account.isUserID(made.user.uid))
    #expect(try people[1].currentUser == made.user)
    try people.sync(0, 1)
    for index in 0...1 {
      let profile = try #require(try people[index].profile(of: made.user.uid))
      #expect(
        profile.value == [
          "provider": "password", "email": "ada@example.org", "username": "Ada", "createdAt": .int(time),
        ])
      #expect(profile.username == "Ada" && profile.profileImageName == nil)
      #expect(try people[index].users().map(\.user) == [made.user])
    }
    #expect(try people[0].currentUser == nil)
    #expect(try people[0].signOutReason == nil)
    #expect(try people[0].profile(of: try Key("nobody")) == nil)
  }

  @Test func `an email that is used here is refused, whoever has it`() throws {
    let people = try PeopleFleet()
    try people.signUp(0)
    try people.sync(0, 1)
    #expect(error { try people.signUp(1, "ADA@example.org") }?.code == .emailAlreadyInUse)
    #expect(try people[1].users().count == 1)
  }

  @Test(arguments: [
    ("ada", "Ada", PeopleFleet.password, TreeError.Code.invalidEmail),
    ("ada@example.org", "", PeopleFleet.password, .invalidArgument),
    ("ada@example.org", "A\u{202E}da", PeopleFleet.password, .invalidArgument),
    ("ada@example.org", "Ada", "short", .weakPassword),
    ("ada.lovelace@example.org", "Ada", "ada.lovelace", .weakPassword),
  ])
  func `what cannot be an account is refused before anything is written`(
    _ email: String, _ username: String, _ password: String, _ code: TreeError.Code
  ) throws {
    let people = try PeopleFleet(1)
    let before = try people.fleet[0].ownPosition()
    let error = error {
      try people[0].createUser(withEmail: email, password: try Password(text: password), username: username)
    }
    #expect(error?.code == code)
    #expect(error?.advice.isEmpty == false)
    #expect(try people.fleet[0].ownPosition() == before)
  }

  @Test func `a device that has not synced says so before it looks at a password`() throws {
    let people = try PeopleFleet(1)
    try people.fleet.join(by: people.fleet.invite)
    let auth = people[1]
    for error in [
      error { try people.signUp(1) }, error { try auth.signIn(withEmail: "a@b", password: Password(text: "x")) },
    ] {
      #expect(error?.code == .refused)
      #expect(error?.advice.contains("Sync once first") == true)
    }
    #expect(auth.checks.withLock { $0 } == 0)
    try people.fleet.send(from: 0, to: 1)
    try people.signUp(1)
  }

  @Test func `a sign-up with an image keeps it here, and names it in the entry`() throws {
    let people = try PeopleFleet()
    let image = ImageHeaderTests.png(64, 64) + [UInt8](repeating: 7, count: 100_000)
    let user = try people.signUp(0, image: image).user
    let name = try #require(try people[0].profile(of: user.uid)?.profileImageName)
    #expect(name == "\(hexadecimal(Sodium.hash32(image).bytes.prefix(8))).png")
    #expect(try people[0].profileImage(of: user.uid) == image)
    try people.sync(0, 1)
    #expect(try people[1].profile(of: user.uid)?.profileImageName == name)
    #expect(try people[1].profileImage(of: user.uid) == nil)
    try people.fleet.reopen(0)
    #expect(try people[0].profileImage(of: user.uid) == image)
    #expect(try people.fleet[0].verify().problems.isEmpty)
  }

  @Test(arguments: ["../../../etc/passwd", "0000000000000000.png", "zz.png", "", "00000000000000000.png"])
  func `an entry that names no image of this device shows none`(_ name: String) throws {
    let people = try PeopleFleet(1)
    let user = try people.signUp(0, image: ImageHeaderTests.png(1, 1)).user
    let path = try people[0].entry(of: user.uid).child("profileImageName")
    try people.fleet[0].write(as: user.uid) { try $0.setValue(.string(name), at: path) }
    #expect(try people[0].profileImage(of: user.uid) == nil)
  }

  @Test func `what is no image leaves no account behind`() throws {
    let people = try PeopleFleet(1)
    #expect(error { try people.signUp(0, image: Array("no image".utf8)) }?.code == .invalidArgument)
    #expect(try people[0].users() == [])
  }

  @Test func `rules that refuse the entry leave no account and no image, and whoever was logged in`() throws {
    let folder = try TestSupport.TemporaryFolder()
    let rules = #"{"rules": {"users": {"$uid": {".write": "newData.child('username').val() == 'Ada'"}}}}"#
    let database = try Database.create(
      at: "\(folder.path)/home", space: "test", rules: rules, recovery: RecoveryCode(), deviceName: "d",
      options: Fleet.options)
    let auth = Auth(database, profile: .smallest)
    let refuse = {
      error {
        try auth.createUser(
          withEmail: "bob@example.org", password: Password(text: PeopleFleet.other), username: "Bob",
          profileImage: ImageHeaderTests.png(1, 1))
      }
    }
    #expect(refuse()?.code == .refused)
    #expect(try auth.users() == [])
    #expect(try auth.currentUser == nil && auth.signOutReason == nil)
    #expect(try auth.logins.read() == LoginFile.Content())
    let ada = try auth.createUser(
      withEmail: "ada@example.org", password: Password(text: PeopleFleet.password), username: "Ada"
    ).user
    #expect(refuse()?.code == .refused)
    #expect(try auth.users().map(\.user) == [ada])
    #expect(try auth.currentUser == ada)
    #expect(try database.store.read { try $0.count(.blob) } == 0)
  }

  @Test func `a device makes eight accounts, and more when an owner vouches`() throws {
    let people = try PeopleFleet()
    let users = try (0..<8).map { try people.signUp(1, "p\($0)@example.org").user }
    #expect(error { try people.signUp(1, "p8@example.org") }?.code == .refused)
    #expect(try people[1].users().count == 8)
    try people.sync(0, 1)
    try people[0].vouch(for: users[3].uid)
    try people.sync(0, 1)
    try people.signUp(1, "p8@example.org")
    #expect(try people[1].users().count == 9)
  }
}
