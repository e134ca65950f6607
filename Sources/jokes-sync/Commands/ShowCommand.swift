internal import OfflineTree

extension Command {
  static let show = Command(
    name: "show", usage: "ID [--all] [--json]", summary: "one joke",
    details: """
      The beginning of an id will do if it is the only one. Of a joke that was taken away it says by whom and when, and its text
      only with --all.
      """,
    options: [.all, .json], operands: 1...1,
    example: "jokes-sync show -OaB3"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let viewer = try Viewer(of: database, seesAll: invocation.arguments.has(.all))
    let joke = try database.read { transaction in
      try Joke(try JokeID.resolve(invocation.operand(0) ?? "", in: transaction), for: viewer, in: transaction)
    }
    if invocation.arguments.has(.json) {
      var writer = JSONWriter()
      joke.write(to: &writer)
      try invocation.console.print(json: String(decoding: writer.take(), as: UTF8.self))
    } else if joke.isRemoved, !viewer.seesAll {
      try invocation.console.print("\(JokeText.id(joke)): \(JokeText.marks(joke).joined(separator: "; "))")
      invocation.console.report("\"\(Program.name) show --all\" shows it all the same: history keeps the bytes.")
    } else {
      try invocation.console.print(JokeText.block(joke, invocation.console))
    }
  }
}
