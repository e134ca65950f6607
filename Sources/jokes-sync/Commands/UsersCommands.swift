internal import OfflineTree

extension Command {
  static let users = Command(
    name: "users", usage: "[--json]", summary: "who has an account in the space",
    details: """
      Those that an owner has vouched for first, then the oldest. Two people who signed up with one email while apart both have
      an account: the later is called the second one with this email. An account is contested where two devices set two
      passwords that did not know of each other: both count until "recover" or an owner's "resolve" decides. A username is no
      identity: two people may have one. The uid tells them apart.
      """,
    options: [.json], operands: 0...0, example: "jokes-sync users"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    try UserText.list(try Auth(database).users(), json: invocation.arguments.has(.json), invocation.console)
  }

  static let vouch = Command(
    name: "vouch", usage: "USER", summary: "say, as an owner, that somebody's email is theirs",
    details: """
      USER is a uid, its beginning, or an email that only one account has. Rules see it as auth.token.email_verified, and of several
      accounts with one email this one is tried first at a log-in. Another email has to be vouched for anew. Vouch for those whom you know: anybody can
      sign up with anybody's email. A vouch cannot be taken back; "resolve" can end the account.
      """,
    operands: 1...1, example: "jokes-sync vouch alice@example.org"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let auth = Auth(database)
    let user = try UserName.resolve(invocation.operand(0) ?? "", in: try auth.users())[0].user
    try auth.vouch(for: user.uid)
    try invocation.console.print(
      "You vouch for \(UserText.name(user)), \(TerminalText.line(user.email)). Others learn of it when they sync.")
  }

  private static let keep = Option(
    name: "--keep", value: "KEY", summary: "the state to keep, as \"users\" shows its key")

  static let resolve = Command(
    name: "resolve", usage: "USER [--keep KEY] [--yes]",
    summary: "decide, as an owner, which state of an account counts",
    details: """
      USER is a uid, its beginning, or an email that only one account has; KEY is the beginning of a state's key. The other states
      end, those of old passwords too, and who is logged in by them is logged out. Without --keep the whole account ends, whether
      it is contested or not; it asks before, and takes the whole uid of one that was deleted. What the person posted stays. Only
      the recovery code goes on after that.
      """,
    options: [keep, .yes], operands: 1...1, example: "jokes-sync resolve alice@example.org --keep 3f29ab"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let auth = Auth(database)
    let (uid, text) = (try UserName.uid(invocation.operand(0) ?? "", auth), invocation.arguments.value(of: keep.name))
    let states = try auth.users().filter { $0.user.uid == uid }
    let name = states.first.map { UserText.name($0.user) } ?? uid.text
    guard let text else {
      for state in states { invocation.console.report(UserText.line(state)) }
      try Confirmation.require(
        "yes", "Without \(keep.name) the account ends: only its recovery code brings it back. Type yes to end it:",
        invocation)
      try auth.resolve(uid, keeping: nil)
      return try invocation.console.print("The account of \(name) has ended. Others learn of it when they sync.")
    }
    try auth.resolve(uid, keeping: try state(text, among: states).publicKey)
    try invocation.console.print(
      "One state of the account of \(name) counts. Others learn of it when they sync.")
  }

  private static func state(_ text: String, among states: [KnownUser]) throws(TreeError) -> KnownUser {
    let found = states.filter { KeyPrefix.matches(text, $0.publicKey) }
    guard let first = found.first, found.count == 1 else {
      throw TreeError(
        found.isEmpty ? .notFound : .invalidArgument,
        "\(found.isEmpty ? "no state's key begins" : "several states' keys begin") with \"\(text)\": the account has "
          + states.map(UserText.key).joined(separator: ", "),
        advice: "\"\(Program.name) users\" shows the keys.")
    }
    return first
  }
}
