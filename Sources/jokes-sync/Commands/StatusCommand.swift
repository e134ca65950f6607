internal import OfflineTree
internal import Replicator

extension Command {
  static let status = Command(
    name: "status", usage: "", summary: "devices, clocks, what is pending, and what needs attention", operands: 0...0,
    example: "jokes-sync status"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try Session(home: database.home).user()
    try invocation.console.print("space \(database.spaceID)")
    try invocation.console.print("user  \(user.map { TerminalText.line($0.text) } ?? "none: jokes-sync signup")")
  }
}
