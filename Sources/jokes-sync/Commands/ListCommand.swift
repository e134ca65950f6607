internal import OfflineTree

extension Command {
  static let list = Command(
    name: "list", usage: "[--newest|--top] [--limit N] [--all] [--json]",
    summary: "the jokes, newest first or by votes",
    details: """
      👍, or * where the locale is not UTF-8, marks what you voted for. Jokes that were taken away, or that you hide, are left out.
      Where two accounts have the author's username, or its author is called otherwise now, the uid's beginning stands beside it.
      --json prints an array of {"id", "jokeText", "author", "votes", "voted", "createdAt", "removed", "hidden"}: voted is yours,
      createdAt is milliseconds since 1970, read from the id, and null for an id that is not a push id; removed is null, or
      {"by": "author", "at"}, or {"by": "owner", "device", "at"}.
      """,
    options: Feed.options + [.json], operands: 0...0, example: "jokes-sync list --top --limit 10"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let feed = try Feed(invocation.arguments)
    let viewer = try Viewer(of: database, seesAll: invocation.arguments.has(.all))
    let jokes = try database.read { try feed.jokes(for: viewer, in: $0) }
    if invocation.arguments.has(.json) {
      try invocation.console.print(json: json(jokes))
    } else if jokes.isEmpty {
      invocation.console.report(
        "There are no jokes to show. \"jokes-sync post\" tells one, \"jokes-sync sync\" fetches those of others.")
    } else {
      for joke in jokes { try invocation.console.print(JokeText.block(joke, invocation.console)) }
    }
  }

  private static func json(_ jokes: [Joke]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for joke in jokes { joke.write(to: &writer) }
    writer.endArray()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}

extension Feed {
  static let options = [
    Option(name: "--newest", summary: "the newest first (unless --top is given)"),
    Option(name: "--top", summary: "most votes first"),
    Option(name: "--limit", value: "N", summary: "how many (20)"), .all,
  ]

  init(_ arguments: Arguments) throws(TreeError) {
    if arguments.has("--top"), arguments.has("--newest") {
      throw TreeError(.invalidArgument, "--newest and --top exclude each other", advice: "Choose one.")
    }
    self.init(
      order: arguments.has("--top") ? .top : .newest, limit: try arguments.count(of: "--limit", default: 20))
  }
}
