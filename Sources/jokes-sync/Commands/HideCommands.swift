internal import OfflineTree

extension Command {
  static let hide = Command(
    name: "hide", usage: "ID", summary: "do not show you a joke any more, on this device",
    details: """
      Kept on this device only, for the user who is logged in: nobody else knows of it. The set of jokes stays add-only, and history
      keeps the bytes. "unhide" shows the joke again; "list --all" shows what is hidden.
      """,
    operands: 1...1, example: "jokes-sync hide -OaB3"
  ) { invocation in try set(isHidden: true, invocation) }

  static let unhide = Command(
    name: "unhide", usage: "ID", summary: "show you a joke again that you hid",
    details: "\"list --all\" shows which are hidden.", operands: 1...1, example: "jokes-sync unhide -OaB3"
  ) { invocation in try set(isHidden: false, invocation) }

  private static func set(isHidden: Bool, _ invocation: Invocation) throws {
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try database.requireUser()
    let id = try database.read { try JokeID.resolve(invocation.operand(0) ?? "", in: $0) }
    let shown = TerminalText.line(id.text)
    guard try HiddenJokes(of: user.uid, in: database).set(id, isHidden: isHidden) else {
      return try invocation.console.print(isHidden ? "You hide \(shown) already." : "You do not hide \(shown).")
    }
    try database.tellOthers()
    try invocation.console.print(isHidden ? "You hide \(shown) on this device." : "You see \(shown) again.")
  }
}
