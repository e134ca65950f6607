internal import OfflineTree

/// Two homes with the same changes, side by side.
enum VerifyAgainst {
  static let option = Option(name: "--against", value: "HOME", summary: "compare with the state of that home")

  /// - Throws: `damaged` with the paths at which they differ.
  static func compare(_ invocation: Invocation, _ other: String) throws {
    let own = try invocation.openDatabase()
    defer { own.close() }
    let others = try Database.open(at: other)
    defer { others.close() }
    guard own.spaceID == others.spaceID else {
      throw TreeError(.invalidArgument, "\(other) is a home of another space", advice: "Name one of this space.")
    }
    var comparison = StateComparison()
    while let question = comparison.question { try comparison.take(try others.answer(question), in: own) }
    let exchanges = "\(comparison.exchanges) \(comparison.exchanges == 1 ? "exchange" : "exchanges")"
    for path in comparison.paths { invocation.console.report("differs: /\(TerminalText.line(path.path.description))") }
    if comparison.hasWrongSums {
      invocation.console.report("differs: sums that do not fit what is there, on one side")
    }
    guard comparison.paths.isEmpty, !comparison.hasWrongSums else {
      throw TreeError(
        .damaged, "\(own.home) and \(others.home) have the same changes and differ, found in \(exchanges)",
        advice:
          "Run \"\(Program.name) verify\" on both: one that says damage needs \"repair\". If both are sound, report this."
      )
    }
    try invocation.console.print("The same state, by \(exchanges).")
  }
}
