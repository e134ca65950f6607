internal import OfflineTree

/// One user's vote for a joke.
enum Voting {
  /// Votes, or takes the vote back: the toggle is decided where the vote is made, and travels as "is now X".
  /// - Returns: Whether the vote stands now, and the joke with it.
  static func toggle(_ id: Key, user: Key, in transaction: WriteTransaction) throws -> (stands: Bool, joke: Joke) {
    let counter = try JokesSpace.votes(id)
    let stands = try transaction.choice(of: user, at: counter) == 0
    try transaction.vote(counter, voter: user, choice: stands ? 1 : 0)
    return (stands, try Joke(id, user: user, in: transaction))
  }
}

/// Telling a joke.
enum Posting {
  /// Bytes that a joke may have: a string value's limit.
  static let textLimit = Limits.stringBytes

  /// A joke is exactly author, text and a count that starts at 0.
  static func post(_ text: String, author: Key, in transaction: WriteTransaction) throws -> Key {
    try transaction.push(
      NewValue(members: [
        .init(JokesSpace.Member.author, NewValue(Scalar.string(author.text))),
        .init(JokesSpace.Member.jokeText, NewValue(Scalar.string(text))),
        .init(JokesSpace.Member.votes, NewValue(Scalar.int(0))),
      ]), to: JokesSpace.jokes)
  }
}
