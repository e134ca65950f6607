internal import OfflineTree

/// A joke for people: nothing that others wrote reaches the terminal as it came.
enum JokeText {
  static func block(_ joke: Joke, _ console: Console) -> String {
    let mark = joke.voted ? console.accent(" ▲ yours") : ""
    let author = TerminalText.line(joke.author)
    let time = joke.createdAt.map { ", \(LocalTime.text(milliseconds: $0))" } ?? ""
    let text = TerminalText.block(joke.text).split(separator: "\n", omittingEmptySubsequences: false)
      .map { "    \($0)".trimmingTrailingSpaces }.joined(separator: "\n")
    return "\(console.bold(votes(joke)))\(mark)  \(author)\(time)  \(console.dim(id(joke)))\n\(text)"
  }

  static func id(_ joke: Joke) -> String { TerminalText.line(joke.id.text) }

  static func votes(_ joke: Joke) -> String {
    "\(Value(joke.votes).json()) \(joke.votes == .int(1) ? "vote" : "votes")"
  }
}
