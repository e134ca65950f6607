internal import OfflineTree

extension Command {
  static let signUp = Command(
    name: "signup", usage: "--username NAME", summary: "say who posts and votes on this device",
    details: """
      The name is the user: the same name on two devices is one voter. It is also the log-in, and can be changed by
      signing up again.
      """,
    options: [Option(name: "--username", value: "NAME", summary: "without . # $ [ ] / and control characters")],
    operands: 0...0, example: "jokes-sync signup --username alice"
  ) { invocation in
    guard let name = invocation.arguments.value(of: "--username") else {
      throw invocation.usage("--username is missing")
    }
    let username = try Key(name)
    let database = try invocation.openDatabase()
    defer { database.close() }
    let isNew = try Session(home: database.home).signUp(username, in: database)
    let shown = TerminalText.line(username.text)
    try invocation.console.print(isNew ? "Signed up as \(shown)." : "Welcome back, \(shown).")
  }
}
