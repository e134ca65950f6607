internal import OfflineTree

extension Command {
  static let users = Command(
    name: "users", usage: "[--json]", summary: "who has an account in the space",
    details: """
      Those that an owner has vouched for first, then the oldest. Two people who signed up with one email while apart both have
      an account: the later is called the second one with this email. An account is contested where two devices set two
      passwords that did not know of each other: both count until "recover" or an owner's "resolve" decides.
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
      accounts with one email this one is tried first at a log-in. Another email has to be vouched for anew.
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
    summary: "decide, as an owner, which of two states of an account counts",
    details: """
      USER is a uid, its beginning, or an email that only one account has; KEY is the beginning of a state's key. The other states
      end, and who is logged in by them is logged out. Without --keep the whole account ends, whether it is contested or not; it
      asks before. What the person posted stays.
      """,
    options: [keep, .yes], operands: 1...1, example: "jokes-sync resolve alice@example.org --keep 3f29ab"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let auth = Auth(database)
    let states = try UserName.resolve(invocation.operand(0) ?? "", in: try auth.users())
    let user = states[0].user
    guard let text = invocation.arguments.value(of: keep.name) else {
      for state in states { invocation.console.report(UserText.line(state)) }
      try Confirmation.require(
        "yes", "Without \(keep.name) the account ends: nobody can log in with it again. Type yes to end it:", invocation
      )
      try auth.resolve(user.uid, keeping: nil)
      return try invocation.console.print(
        "The account of \(UserText.name(user)) has ended. Others learn of it when they sync.")
    }
    try auth.resolve(user.uid, keeping: try state(text, among: states).publicKey)
    try invocation.console.print(
      "One state of the account of \(UserText.name(user)) counts. Others learn of it when they sync.")
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
