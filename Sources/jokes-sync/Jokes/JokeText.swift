internal import OfflineTree

/// A joke for people: nothing that others wrote reaches the terminal as it came.
enum JokeText {
  static func block(_ joke: Joke, _ console: Console) -> String {
    let mark = joke.voted ? console.accent(console.isUTF8 ? " 👍" : " *") : ""
    let author = TerminalText.line(joke.author) + (joke.authorUID.map { " (uid \($0.text.prefix(8)))" } ?? "")
    let time = joke.createdAt.map { ", \(LocalTime.text(milliseconds: $0))" } ?? ""
    let notes = marks(joke).map { "  [\($0)]" }.joined()
    let text = TerminalText.block(joke.text).split(separator: "\n", omittingEmptySubsequences: false)
      .map { "    \($0)".trimmingTrailingSpaces }.joined(separator: "\n")
    return "\(console.bold(votes(joke)))\(mark)  \(author)\(time)  \(console.dim(id(joke)))\(notes)\n\(text)"
  }

  static func id(_ joke: Joke) -> String { TerminalText.line(joke.id.text) }

  static func votes(_ joke: Joke) -> String {
    "\(Value(joke.votes).json()) \(joke.votes == .int(1) ? "vote" : "votes")"
  }

  /// Why a joke is not in a feed.
  static func marks(_ joke: Joke) -> [String] {
    (joke.removal.map { [text($0)] } ?? []) + (joke.isHidden ? ["you hide it"] : [])
  }

  private static func text(_ removal: Removal) -> String {
    switch removal {
    case .retracted(let time): "taken back by its author, \(LocalTime.text(milliseconds: time))"
    case .moderated(let device, let time):
      "taken away by an owner, on \(TerminalText.line(device)), \(LocalTime.text(milliseconds: time))"
    }
  }
}
