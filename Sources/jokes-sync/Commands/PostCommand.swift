internal import OfflineTree

extension Command {
  static let post = Command(
    name: "post", usage: "[TEXT|-]", summary: "tell a joke, and print its id",
    details: """
      Without a text, or with -, the joke is what standard input says. It has 1 to 10,000 characters, is signed with your username,
      and cannot be changed; "retract" takes it back.
      """,
    operands: 0...1,
    example: "jokes-sync post \"I would tell you a UDP joke, but you might not get it.\"\nfortune | jokes-sync post -"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try database.requireUser()
    if invocation.operand(0) == nil, StandardInput.isTerminal {
      invocation.console.report("Type the joke, and end it with ^D on a line of its own:")
    }
    var text = try invocation.text(invocation.operand(0) ?? "-", limit: Limits.stringBytes)
    if invocation.operand(0) ?? "-" == "-", text.utf8.last == UInt8(ascii: "\n") { text = String(text.dropLast()) }
    try Posting.requireLength(text)
    let joke = text
    let id = try await database.write(as: user.uid) { try Posting.post(joke, author: user, in: $0) }
    try invocation.console.print(id.text)
  }
}
