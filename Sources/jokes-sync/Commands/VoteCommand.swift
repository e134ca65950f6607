internal import OfflineTree

extension Command {
  static let vote = Command(
    name: "vote", usage: "ID", summary: "vote for a joke, or take your vote back",
    details: "A toggle; it says which way it went. The beginning of an id will do if it is the only one.",
    operands: 1...1, example: "jokes-sync vote -OaB3"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try Session(home: database.home).signedUpUser()
    let text = invocation.operand(0) ?? ""
    let (stands, joke) = try await database.write(as: user) { transaction in
      try Voting.toggle(try JokeID.resolve(text, in: transaction), user: user, in: transaction)
    }
    let what = stands ? "You voted for" : "You took back your vote for"
    try invocation.console.print("\(what) \(JokeText.id(joke)): \(JokeText.votes(joke))")
  }
}
