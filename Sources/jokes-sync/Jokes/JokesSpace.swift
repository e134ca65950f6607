internal import OfflineTree

/// Where things are in a space of jokes, and what every such space declares.
///
/// ```
/// jokes/<id>              {"author": username, "jokeText": text, "votes": 0}     add-only, keys bound to their device
/// users/<uid>             the person's profile, as `Auth` writes it
/// users/<uid>/votes/<id>  true while the user's vote for the joke stands
/// ```
enum JokesSpace {
  static let jokes = path(key("jokes"))

  static let addOnlySets = [Genesis.AddOnlySet(path: jokes, keys: .own)]
  static let flags = [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")]

  static func joke(_ id: Key) throws(TreeError) -> Path { try jokes.child(id) }
  static func votes(_ id: Key) throws(TreeError) -> Path { try jokes.child(id).child(Member.votes) }

  enum Member {
    static let author = key("author")
    static let jokeText = key("jokeText")
    static let votes = key("votes")
  }

  /// For the names above, which are keys.
  private static func key(_ text: String) -> Key {
    do {
      return try Key(text)
    } catch {
      preconditionFailure(error.description)
    }
  }

  private static func path(_ key: Key) -> Path {
    do {
      return try Path([key])
    } catch {
      preconditionFailure(error.description)
    }
  }
}
