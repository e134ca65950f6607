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

  func end() throws {
    if console.isTerminal { try console.print("") }
    try console.flush()
  }

  private func append(_ jokes: [Joke]) throws {
    for joke in jokes.reversed() { try console.print(JokeText.block(joke, console)) }
    try console.flush()
  }

  /// Clears the screen and draws as many jokes as fit. A long one is cut, so that it does not hide the others.
  private func redraw(_ jokes: [Joke]) throws {
    let (columns, rows) = console.size
    var left = rows - 2
    var text = "\u{1B}[H\u{1B}[2J\u{1B}[3J"
    for joke in jokes {
      let (block, height) = FeedScreen.cut(JokeText.block(joke, console), to: max(2, rows / 2), columns)
      left -= height
      if left < 0 { break }
      text += block + "\n"
    }
    try console.print(text + console.dim(jokes.isEmpty ? "No jokes to show. ^C ends." : "Live. ^C ends."))
  }
}

extension FeedScreen {
  /// The beginning of a text that takes at most so many rows, and how many it takes.
  private static func cut(_ text: String, to rows: Int, _ columns: Int) -> (text: String, height: Int) {
    var (lines, height): ([Substring], Int) = ([], 0)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let wrapped = 1 + max(0, line.count - 1) / columns
      if height + wrapped > rows {
        let left = (rows - height) * columns - 1
        lines.append(line.prefix(max(0, left)) + "…")
        return (lines.joined(separator: "\n"), rows + (left < 0 ? 1 : 0))
      }
      lines.append(line)
      height += wrapped
    }
    return (lines.joined(separator: "\n"), height)
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
