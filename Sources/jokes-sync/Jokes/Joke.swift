internal import OfflineTree

/// A joke as a feed shows it.
struct Joke: Sendable, Equatable {
  let id: Key
  let text: String
  let author: String
  /// A number, as the tree has it.
  let votes: Scalar
  /// Has the user of this home voted for it?
  let voted: Bool
  /// Milliseconds since 1970, read from the id; nil if the id is no push id.
  let createdAt: Int64?

  /// - Throws: `notFound` if there is no such joke.
  init(_ id: Key, user: Key?, in transaction: ReadTransaction) throws {
    let value = try transaction.value(at: try JokesSpace.joke(id))
    guard !value.isNull else {
      throw TreeError(
        .notFound, "there is no joke \(id)",
        advice: "\"\(Program.name) list\" shows the ids; \"sync\" fetches new ones.")
    }
    self.id = id
    text = Joke.text(value[JokesSpace.Member.jokeText])
    author = Joke.text(value[JokesSpace.Member.author])
    votes = value[JokesSpace.Member.votes].scalar.flatMap { $0.isNumber ? $0 : nil } ?? .int(0)
    voted = try user.map { try transaction.choice(of: $0, at: try JokesSpace.votes(id)) != 0 } ?? false
    createdAt = PushID.milliseconds(of: id)
  }

  /// A string as it is, anything else as JSON.
  private static func text(_ value: Value) -> String {
    if case .string(let text) = value { text } else { value.isNull ? "" : value.json() }
  }

  func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.key("id")
    writer.string(id.text)
    writer.key("jokeText")
    writer.string(text)
    writer.key("author")
    writer.string(author)
    writer.key("votes")
    writer.scalar(votes)
    writer.key("voted")
    writer.bool(voted)
    writer.key("createdAt")
    if let createdAt { writer.int(createdAt) } else { writer.null() }
    writer.endObject()
  }
}
