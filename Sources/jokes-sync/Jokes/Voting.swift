internal import OfflineTree

/// One user's vote for a joke.
enum Voting {
  /// Votes, or takes the vote back: the toggle is decided where the vote is made, and travels as "is now X".
  /// - Returns: Whether the vote stands now.
  static func toggle(_ id: Key, user: Key, in transaction: WriteTransaction) throws -> Bool {
    let counter = try JokesSpace.votes(id)
    let stands = try transaction.choice(of: user, at: counter) == 0
    try transaction.vote(counter, voter: user, choice: stands ? 1 : 0)
    return stands
  }
}

/// Telling a joke.
enum Posting {
  /// UTF-16 units that a joke may have, as the space's first rules say.
  static let textLimit = 10_000

  /// - Throws: `invalidArgument` or `limitExceeded`.
  static func requireLength(_ text: String) throws(TreeError) {
    if text.utf8.isEmpty { throw TreeError(.invalidArgument, "the joke is empty", advice: "Say something.") }
    let count = text.utf16.count
    if count > textLimit {
      throw TreeError(
        .limitExceeded, "the joke has \(count) characters, and may have \(textLimit)",
        advice: "Make it shorter. Characters are counted in UTF-16: most emoji are two or more.")
    }
  }

  /// A joke is exactly author, text and a count that starts at 0.
  static func post(_ text: String, author: User, in transaction: WriteTransaction) throws -> Key {
    try transaction.push(
      NewValue(members: [
        .init(JokesSpace.Member.author, NewValue(Scalar.string(author.username))),
        .init(JokesSpace.Member.jokeText, NewValue(Scalar.string(text))),
        .init(JokesSpace.Member.votes, NewValue(Scalar.int(0))),
      ]), to: JokesSpace.jokes)
  }
}
