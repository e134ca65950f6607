internal import OfflineTree

extension Command {
  static let importFile = Command(
    name: "import", usage: "FILE|-", summary: "merge a Firebase export, or our own, into the space",
    details: """
      Streamed, in several changes, and merged as "update" would merge each leaf; what is there already is not written
      again, so that an import can be repeated. Each true flag users/<uid>/votes/<id> becomes that user's vote, and a joke's
      number is its count less its flags. Jokes that exist and differ are listed and skipped. Jokes made on other devices
      need an owner's home, such as the one that made the space; there an import is administration, which the rules do not judge.
      Elsewhere it is what the user who is logged in may write.
      """,
    operands: 1...1, example: "jokes-sync import my-project-default-rtdb-export.json"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let console = invocation.console
    let bar = ProgressBar("Importing", console)
    let source = try ImportSource(invocation.operand(0) ?? "-", home: database.home)
    let importer = try Importer(source, into: database, bar: bar) { note in
      bar.end()
      console.report(note)
    }
    let tally = try importer.run()
    bar.end()
    try console.print(
      "Imported \(tally.elements) jokes, \(tally.votes) votes and \(tally.values) other values; "
        + "\(tally.unchanged) were there already, \(tally.skipped) were skipped.")
  }
}
