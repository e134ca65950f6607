/// The texts of `--help`, made from the command table.
enum Help {
  static func program() -> String {
    let width = CommandTable.all.map { $0.heading.count }.filter { $0 <= 34 }.max() ?? 0
    let commands = CommandTable.all.map { line($0.heading, $0.summary, width) }.joined(separator: "\n")
    return """
      \(Program.name) \(Program.version): jokes, posted and voted on while apart, the same feed when devices meet

      Usage: \(Program.name) [--home PATH] COMMAND …

      \(commands)

      The home is --home, else $JOKES_SYNC_HOME, else $XDG_DATA_HOME/jokes-sync, else ~/.local/share/jokes-sync.
      \(Program.name) COMMAND --help tells more, with an example. \(Program.name) demo shows it all.

      \(ExitStatus.explanation)
      """
  }

  static func command(_ command: Command) -> String {
    var parts = ["\(Program.name) \(command.heading): \(command.summary)"]
    if !command.details.isEmpty { parts.append(command.details) }
    let options = command.options + [.home, .help]
    let names = options.map { option in option.name + (option.value.map { " \($0)" } ?? "") }
    let width = names.map(\.count).max() ?? 0
    parts.append("Options\n" + zip(names, options).map { line($0, $1.summary, width) }.joined(separator: "\n"))
    parts.append("Example\n" + command.example.split(separator: "\n").map { "  \($0)" }.joined(separator: "\n"))
    return parts.joined(separator: "\n\n")
  }

  private static func line(_ left: String, _ right: String, _ width: Int) -> String {
    if left.count > width { return "  \(left)\n  \(String(repeating: " ", count: width))  \(right)" }
    return "  \(left)\(String(repeating: " ", count: width - left.count))  \(right)"
  }
}

extension Command {
  var heading: String { usage.isEmpty ? name : "\(name) \(usage)" }
}
