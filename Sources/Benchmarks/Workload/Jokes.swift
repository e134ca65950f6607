internal import OfflineTree

/// The jokes of the workload and where they stand: texts of about 120 bytes, one of a thousand authors, a counter.
struct Jokes {
  static let words = [
    "why", "did", "the", "chicken", "cross", "road", "because", "banana", "programmer", "walks", "into", "a", "bar",
    "and", "says", "orange", "you", "glad", "never", "compile", "knock", "who", "there", "lettuce", "atom", "makes",
    "up", "everything", "duck", "doctor", "penguin", "elephant", "light", "bulb", "change", "how", "many", "does",
    "it", "take", "to",
  ]

  let jokes: Path
  let users: [Key]
  let addOnlySets: [Genesis.AddOnlySet]
  let flags = [Genesis.Flag(counter: "jokes/*/votes", template: "users/$voter/votes/*")]
  private let author: Key
  private let jokeText: Key
  private let votes: Key

  init() throws {
    jokes = try Path("jokes")
    users = try (0..<1_000).map { try Key("user\($0)") }
    addOnlySets = [Genesis.AddOnlySet(path: jokes, keys: .own)]
    author = try Key("author")
    jokeText = try Key("jokeText")
    votes = try Key("votes")
  }

  /// What a joke is stored as.
  func joke(_ generator: inout SeededGenerator, by name: String? = nil, votes count: Int64 = 0) -> NewValue {
    var text = ""
    while text.utf8.count < 112 {
      text += (text.isEmpty ? "" : " ") + Jokes.words[Int.random(in: 0..<Jokes.words.count, using: &generator)]
    }
    return NewValue(members: [
      NewValue.Member(author, NewValue(Scalar.string(name ?? user(&generator).text))),
      NewValue.Member(jokeText, NewValue(Scalar.string(text + "?"))),
      NewValue.Member(votes, NewValue(Scalar.int(count))),
    ])
  }

  func user(_ generator: inout SeededGenerator) -> Key { users[Int.random(in: 0..<users.count, using: &generator)] }

  func counter(of joke: Key) throws -> Path { try jokes.child(joke).child(votes) }
}
