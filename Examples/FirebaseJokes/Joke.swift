import OfflineTree

/// A joke: who told it, what it says, how many like it.
struct Joke: TreeModel, Queryable {
  static let collection = "jokes"

  var node = ModelNode()
  var author: String
  var jokeText: String
  var votes = 0
}

extension Joke {
  /// The joke as the feed shows it to somebody who has voted for it, or has not.
  func card(isVoted: Bool) -> String {
    """
    \(jokeText)
      \(author) · Total Votes: \(votes) · \(isVoted ? "thumb up" : "thumb down")
    """
  }
}
