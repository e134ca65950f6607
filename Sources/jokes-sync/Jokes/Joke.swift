internal import OfflineTree

/// A joke as a feed shows it.
struct Joke: Sendable, Equatable {
  let id: Key
  let text: String
  /// The author's username when it was posted.
  let author: String
  /// Who posted it, where the name does not say so: others have it too, or its author is called otherwise now.
  let authorUID: Key?
  /// A number, as the tree has it.
  let votes: Scalar
  /// Has the user who is logged in voted for it?
  let voted: Bool
  /// Milliseconds since 1970, read from the id; nil if the id is no push id.
  let createdAt: Int64?
  /// Why it is not shown to anybody; nil if it is.
  let removal: Removal?
  var isRemoved: Bool { removal != nil }
  /// Does the user who is logged in hide it?
  let isHidden: Bool

  /// - Throws: `notFound` if there is no such joke.
  init(_ id: Key, for viewer: Viewer, in transaction: ReadTransaction) throws {
    let path = try JokesSpace.joke(id)
    let value = try transaction.value(at: path)
    guard !value.isNull else {
      throw TreeError(
        .notFound, "there is no joke \(id)",
        advice: "\"\(Program.name) list\" shows the ids; \"sync\" fetches new ones.")
    }
    self.id = id
    text = Joke.text(value[JokesSpace.Member.jokeText])
    author = Joke.text(value[JokesSpace.Member.author])
    let poster = try transaction.author(of: path)
    authorUID = viewer.isKnown(poster, as: author) ? nil : poster
    votes = value[JokesSpace.Member.votes].scalar.flatMap { $0.isNumber ? $0 : nil } ?? .int(0)
    voted = try viewer.user.map { try transaction.choice(of: $0.uid, at: try JokesSpace.votes(id)) != 0 } ?? false
    createdAt = PushID.milliseconds(of: id)
    removal = try transaction.removal(of: path)
    isHidden = viewer.hidden.contains(id)
  }

  /// A string as it is, anything else as JSON.
  private static func text(_ value: Value) -> String {
    if case .string(let text) = value { text } else { value.isNull ? "" : value.json() }
  }
}
