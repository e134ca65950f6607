internal import OfflineTree

extension Command {
  static let logIn = Command(
    name: "login", usage: "[--email EMAIL] [--user UID]", summary: "say by email and password who you are",
    details: """
      The account may have been made on any device of the space; this one must have synced since, and needs no network now. It stays
      logged in, also when it is backed up and restored, until "logout" or until the password changes elsewhere. Five wrong
      passwords in a row, and each further attempt has to wait longer. Where several accounts claim your email, --user says which
      is yours, by the uid that "signup" printed or its beginning; "users" shows them all.
      """,
    options: [.email, .user, .passwordFile], operands: 0...0, example: "jokes-sync login --email alice@example.org"
  ) { invocation in
    let console = invocation.console
    let database = try invocation.openDatabase()
    defer { database.close() }
    let auth = Auth(database)
    let before = try auth.currentUser
    let given = try invocation.arguments.value(of: Option.email.name).map(Email.normalized)
    let uid = try LogIn.user(invocation, auth)
    if let before, given.map({ $0.utf8.elementsEqual(before.email.utf8) }) ?? true, uid ?? before.uid == before.uid {
      return try console.print("You are logged in already, as \(UserText.full(before)).")
    }
    try database.requireWriter()
    let email = try LogIn.email(invocation, of: uid, auth)
    let password = try SecretInput("Password", .passwordFile, invocation).password()
    let user = try await console.whileChecking {
      try await auth.signIn(withEmail: email, password: password, user: uid)
    }
    if let before, before.uid != user.uid { console.report("\(UserText.name(before)) is logged out on this device.") }
    try console.print("Logged in as \(UserText.full(user)).")
  }

  private static let everywhere = Option(name: "--everywhere", summary: "on all your devices, when they hear of it")

  static let logOut = Command(
    name: "logout", usage: "[--everywhere]", summary: "end your session on this device, or on all",
    details: """
      What you posted and voted stays. Whoever logs in next sees nothing of yours. With --everywhere, what you wrote on another
      device and this one has not heard of counts nowhere any more: sync first.
      """,
    options: [everywhere],
    operands: 0...0, example: "jokes-sync logout"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let auth = Auth(database)
    let (user, isEverywhere) = (try auth.currentUser, invocation.arguments.has(everywhere))
    try auth.signOut(everywhere: isEverywhere)
    guard let user else { return invocation.console.report("Nobody was logged in on this device.") }
    let others = isEverywhere ? " Your other devices are logged out when they have synced." : ""
    try invocation.console.print("\(UserText.name(user)) is logged out.\(others)")
  }

  static let whoAmI = Command(
    name: "whoami", usage: "[--json]", summary: "who is logged in on this device; or why nobody is",
    details: """
      --json prints {"user", "signedOut"}: one of them is null. user is {"uid", "email", "username", "verified", "createdAt"},
      signedOut says why whoever was logged in is not any more.
      """,
    options: [.json], operands: 0...0, example: "jokes-sync whoami"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    if invocation.arguments.has(.json) {
      let auth = Auth(database)
      return try invocation.console.print(json: UserText.json(try auth.currentUser, try auth.signOutReason))
    }
    try invocation.console.print(UserText.full(try database.requireUser()))
  }
}

/// What several commands ask of somebody who logs in.
enum LogIn {
  /// The account that --user names, if it was given: by its uid, or the beginning of one that "users" shows.
  static func user(_ invocation: Invocation, _ auth: Auth) throws -> Key? {
    try invocation.arguments.value(of: Option.user.name).map { try UserName.uid($0, auth) }
  }

  /// The email that was given, or that the account has, or is typed.
  static func email(_ invocation: Invocation, of user: Key?, _ auth: Auth) throws -> String {
    if let email = invocation.arguments.value(of: Option.email.name) { return try Email.normalized(email) }
    let states = try user.map { uid in try auth.users().filter { $0.user.uid == uid } } ?? []
    if let email = states.first?.user.email, states.allSatisfy({ $0.user.email.utf8.elementsEqual(email.utf8) }) {
      return email
    }
    let missing = invocation.usage("\(Option.email.name) is missing")
    guard StandardInput.isTerminal else { throw missing }
    invocation.console.draw("Email: ")
    guard let email = readLine() else { throw missing }
    return try Email.normalized(email)
  }
}
