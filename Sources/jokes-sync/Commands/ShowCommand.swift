internal import OfflineTree

extension Command {
  static let show = Command(
    name: "show", usage: "ID [--json]", summary: "one joke",
    details: "The beginning of an id will do if it is the only one.", options: [.json], operands: 1...1,
    example: "jokes-sync show -OaB3"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try Session(home: database.home).user()
    let joke = try database.read { transaction in
      try Joke(try JokeID.resolve(invocation.operand(0) ?? "", in: transaction), user: user, in: transaction)
    }
    if invocation.arguments.has(.json) {
      var writer = JSONWriter()
      joke.write(to: &writer)
      try invocation.console.print(json: String(decoding: writer.take(), as: UTF8.self))
    } else {
      try invocation.console.print(JokeText.block(joke, invocation.console))
    }
  }
}
