internal import OfflineTree

extension Command {
  static let vote = Command(
    name: "vote", usage: "ID", summary: "vote for a joke, or take your vote back",
    details:
      "A toggle; it says which way it went. You have one vote, on however many devices. The beginning of an id will do if it is the only one.",
    operands: 1...1, example: "jokes-sync vote -OaB3"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try database.requireUser()
    let viewer = try Viewer(of: database)
    let text = invocation.operand(0) ?? ""
    let (stands, joke) = try await database.write(as: user.uid) { transaction in
      let id = try JokeID.resolve(text, in: transaction)
      return (
        try Voting.toggle(id, user: user.uid, in: transaction), try Joke(id, for: viewer, in: transaction)
      )
    }
    let what = stands ? "You voted for" : "You took back your vote for"
    try invocation.console.print("\(what) \(JokeText.id(joke)): \(JokeText.votes(joke))")
  }
}
