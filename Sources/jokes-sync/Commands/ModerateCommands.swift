internal import OfflineTree

extension Command {
  private static let undo = Option(name: "--undo", summary: "show it again")

  static let moderate = Command(
    name: "moderate", usage: "ID [--undo]", summary: "take a joke away for everybody, as an owner; or show it again",
    details: """
      Devices stop showing it when they have synced; "show" says who took it away. The set of jokes stays add-only, and history
      keeps the bytes: they stay on every device, and a changed program can read them.
      """,
    options: [undo], operands: 1...1, example: "jokes-sync moderate -OaB3"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let id = try database.read { try JokeID.resolve(invocation.operand(0) ?? "", in: $0) }
    let isHidden = !invocation.arguments.has(undo)
    try database.moderate(try JokesSpace.joke(id), isHidden: isHidden)
    let what = isHidden ? "is taken away" : "is shown again, unless its author took it back"
    try invocation.console.print("\(TerminalText.line(id.text)) \(what). Others learn of it when they sync.")
  }

  static let retract = Command(
    name: "retract", usage: "ID", summary: "take back a joke that you posted, for everybody and for good",
    details: """
      Devices stop showing it when they have synced. The set of jokes stays add-only, and history keeps the bytes: they stay on every
      device, and a changed program can read them.
      """,
    operands: 1...1, example: "jokes-sync retract -OaB3"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try database.requireUser()
    let id = try database.read { try JokeID.resolve(invocation.operand(0) ?? "", in: $0) }
    try database.retract(try JokesSpace.joke(id), as: user.uid)
    try invocation.console.print("You took back \(TerminalText.line(id.text)). Others learn of it when they sync.")
  }
}
