/// One row of the command table.
struct Command: Sendable {
  let name: String
  /// What follows the name: "[TEXT|-]".
  let usage: String
  /// One line, for the program's help.
  let summary: String
  /// What the command's own help says beyond the summary.
  var details = ""
  var options: [Option] = []
  /// How many words may follow, options aside.
  let operands: ClosedRange<Int>
  /// A line, or several, as one would type them.
  let example: String
  let run: @Sendable (Invocation) async throws -> Void
}

/// A word that begins with "--".
struct Option: Sendable {
  let name: String
  /// What its value is called; nil for a switch.
  var value: String?
  let summary: String

  static let home = Option(name: "--home", value: "PATH", summary: "the folder that holds this device")
  static let help = Option(name: "--help", summary: "what the command does, with an example")
  static let json = Option(name: "--json", summary: "JSON for programs")
  static let pretty = Option(name: "--pretty", summary: "one member a line")
}
