internal import OfflineTree

extension Command {
  static let status = Command(
    name: "status", usage: "[--json]", summary: "devices, clocks, what is pending, and what needs attention",
    details: """
      Equal clocks mean equal feeds; then the states are equal too. Members are devices that were let in; logs are what they
      wrote. Nothing is exchanged.
      """,
    options: [.json], operands: 0...0, example: "jokes-sync status"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let report = try StatusReport(database)
    if invocation.arguments.has(.json) { return try invocation.console.print(json: report.json()) }
    for line in report.lines(invocation.console) { try invocation.console.print(line) }
  }
}
