internal import OfflineTree

/// Mistakes on the command line, each with what to type instead.
enum Usage {
  static func error(_ problem: String, _ command: Command) -> TreeError {
    let line = "\(Program.name) \(command.name) \(command.usage)"
    return TreeError(
      .invalidArgument, problem,
      advice: "Usage: \(line.trimmingTrailingSpaces). \(Program.name) \(command.name) --help has an example.")
  }

  static func unknownOption(_ word: String, among known: [String], _ command: Command? = nil) -> TreeError {
    let help = command.map { "\(Program.name) \($0.name) --help" } ?? "\(Program.name) --help"
    return TreeError(
      .invalidArgument, "there is no option \(word)", advice: "\(suggestion(word, known))\(help) lists the options.")
  }

  static func unknownCommand(_ word: String, among known: [String]) -> TreeError {
    TreeError(
      .invalidArgument, "there is no command \"\(word)\"",
      advice: "\(suggestion(word, known))\(Program.name) --help lists the commands.")
  }

  /// "Did you mean …? ", or nothing.
  private static func suggestion(_ word: String, _ known: [String]) -> String {
    let near = known.map { (name: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
    guard let near, near.distance <= max(1, near.name.utf8.count / 3) else {
      let longer = known.first { word.utf8.count > 1 && $0.hasPrefix(word) }
      return longer.map { "Did you mean \($0)? " } ?? ""
    }
    return "Did you mean \(near.name)? "
  }

  /// How many letters to add, drop, change or swap with a neighbour.
  private static func distance(_ left: String, _ right: String) -> Int {
    let (first, second) = (Array(left.utf8.prefix(64)), Array(right.utf8))
    var rows = [Array(0...second.count)]
    for i in 0..<first.count {
      var row = [i + 1]
      for j in 0..<second.count {
        var best = min(rows[i][j] + (first[i] == second[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[first.count][second.count]
  }
}

extension String {
  var trimmingTrailingSpaces: String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
