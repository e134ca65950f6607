internal import OfflineTree

extension Command {
  static let feed = Command(
    name: "feed", usage: "[--newest|--top] [--limit N] [--all]", summary: "the jokes, live until ^C",
    details: "On a terminal it redraws. On a pipe it prints each joke when it comes or its votes change, oldest first.",
    options: Feed.options, operands: 0...0, example: "jokes-sync feed --top"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let feed = try Feed(invocation.arguments)
    let seesAll = invocation.arguments.has(.all)
    let screen = FeedScreen(console: invocation.console)
    try await Interrupt.run {
      for await _ in try Commits.of(database) {
        let viewer = try Viewer(of: database, seesAll: seesAll)
        try screen.show(try database.read { try feed.jokes(for: viewer, in: $0) })
      }
    }
    try screen.end()
  }
}
