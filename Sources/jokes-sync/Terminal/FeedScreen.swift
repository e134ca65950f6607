internal import OfflineTree

/// A feed that changes while one looks at it.
final class FeedScreen: Sendable {
  private let console: Console
  /// What was shown last: a joke is printed again only when it looks different.
  private let shown = Monitor<[Joke]?>(nil)

  init(console: Console) {
    self.console = console
  }

  func show(_ jokes: [Joke]) throws {
    let previous = shown.withLock { shown in
      defer { shown = jokes }
      return shown
    }
    if previous == jokes { return }
    if console.isTerminal { try redraw(jokes) } else { try append(jokes.filter { previous?.contains($0) != true }) }
  }

  func end() throws { try console.flush() }

  private func append(_ jokes: [Joke]) throws {
    for joke in jokes.reversed() { try console.print(JokeText.block(joke, console)) }
    try console.flush()
  }

  /// Clears the screen and draws as many jokes as fit.
  private func redraw(_ jokes: [Joke]) throws {
    let (columns, rows) = console.size
    var left = rows - 2
    var text = "\u{1B}[H\u{1B}[2J\u{1B}[3J"
    for joke in jokes {
      let block = JokeText.block(joke, console)
      left -= block.split(separator: "\n", omittingEmptySubsequences: false).reduce(0) { $0 + 1 + $1.count / columns }
      if left < 0 { break }
      text += block + "\n"
    }
    try console.print(text + console.dim(jokes.isEmpty ? "No jokes yet. ^C ends." : "Live. ^C ends."))
  }
}

/// The commits of a database as a sequence that coalesces: one element now, then one after each burst.
enum Commits {
  static func of(_ database: Database) throws -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let observation = try database.onCommit { continuation.yield() }
    continuation.onTermination = { _ in observation.cancel() }
    continuation.yield()
    return stream
  }
}
