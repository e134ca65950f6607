internal import OfflineTree

extension Command {
  static let export = Command(
    name: "export", usage: "[PATH] [--pretty]", summary: "the tree, or a part of it, as JSON",
    details: """
      Streamed, children in key order, objects never turned into arrays, priorities as ".priority". An import of it into a
      new space exports the same bytes.
      """,
    options: [.pretty], operands: 0...1, example: "jokes-sync export > backup.json\njokes-sync export jokes --pretty"
  ) { invocation in
    let path = try RawPath.node(invocation.operand(0) ?? "")
    let database = try invocation.openDatabase()
    defer { database.close() }
    let console = invocation.console
    let pretty = invocation.arguments.has(.pretty)
    let output = { (bytes: [UInt8]) in
      try console.write(
        console.isTerminal ? Array(TerminalText.json(String(decoding: bytes, as: UTF8.self)).utf8) : bytes)
    }
    try database.read { transaction in
      guard try transaction.hasPriorities() else {
        return try transaction.writeJSON(at: path, pretty: pretty, to: output)
      }
      var exporter = Exporter(pretty: pretty, output: output)
      try exporter.export(path, from: transaction)
    }
    try console.print("")
  }
}
