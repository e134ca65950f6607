internal import OfflineTree
internal import Replicator

extension Command {
  private static let noSync = "--no-sync"

  static let repair = Command(
    name: "repair", usage: "", summary: "save what a damaged database still holds, and go on",
    details: """
      Looks whether anything is damaged; if nothing is, it does nothing. Else it gathers what can still be read and proven,
      above all the changes that only this device has, makes a new database of it, and puts that in the place of the
      damaged one, which stays beside it (data.damaged-1). What is missing comes with the sync that follows. The home then
      is like one that was restored: what was pending goes out as it was, and what you write next begins a new log.
      Stop every other program that has the home open; it is refused until then. Nothing is deleted, so it needs room for a
      second database. Without the file device.key you get changes.json, which holds what this device wrote and nobody is
      known to have, and must join anew with an invite and a new home.
      """,
    options: [Option(name: noSync, summary: "do not sync afterwards")],
    operands: 0...0, example: "jokes-sync repair"
  ) { invocation in
    guard let problems = try findDamage(invocation) else { return }
    let (home, console) = (try invocation.home(), invocation.console)
    for problem in problems.prefix(problemsShown) { console.report("damaged: \(problem)") }
    if problems.count > problemsShown { console.report("and \(problems.count - problemsShown) more") }
    let report = try Database.repair(at: home) { Replicator.acknowledged(in: $0) }
    try tell(report, home, console)
    let database = try invocation.openDatabase()
    defer { database.close() }
    let replicator = Replicator(database: database)
    if invocation.arguments.has(noSync) { return }
    if try replicator.remotes().isEmpty {
      return try console.print(
        "There is no remote to fetch the rest from: \"\(Program.name) remote add\", then \"\(Program.name) sync\".")
    }
    try Command.report(try await replicator.syncOnce(), console)
  }

  private static let problemsShown = 10

  /// What is wrong, in sentences; nil, and a word about it, if nothing is.
  private static func findDamage(_ invocation: Invocation) throws -> [String]? {
    let home = try invocation.home()
    let problems = try Database.damage(at: home)
    if !problems.isEmpty { return problems }
    switch try verifyInChild(home) {
    case .exited(0):
      try invocation.console.print("There is nothing to repair.")
      return nil
    case .exited(let status) where status == ExitStatus.damaged.rawValue || status == ExitStatus.notFound.rawValue:
      // The child has said it.
      return []
    case .exited(let status): throw ChildProcess.Failure(status: status)
    case .killed(let signal): return [died(of: signal, home).context]
    }
  }

  private static func tell(_ report: RepairReport, _ home: String, _ console: Console) throws {
    try console.print("The damaged database stays in \(report.damagedCopy); remove it when you miss nothing.")
    try console.print(
      "Saved \(report.changes) changes, \(report.ownChanges) of them this device's own, into a new database.")
    if report.ownWaiting > 0 {
      try console.print(
        "\(report.ownWaiting) more of its own are saved, and wait for what others have: they count when that has come.")
    }
    if report.ownLost > 0 {
      try console.print(
        "\(report.ownLost) of its own were where the damage is, and are lost unless others have them.")
    }
    if let file = report.leftOverFile, report.ownLeftOver > 0 {
      try console.print(
        "\(report.ownLeftOver) of its own are not in the new database: nothing proves that this device made them, or they "
          + "wait for others and there is no room. They are in \(file): enter again what you miss.")
    }
    if let file = report.leftOverFile, report.unproven > 0 {
      try console.print(
        "Changes were found of which nothing proves whose they are, \(report.unproven) in number: they are in \(file), not in "
          + "the database. If they are not back after a sync, enter again what you miss.")
    }
    if report.othersMissing > 0 {
      try console.print(
        "\(report.othersMissing) \(report.othersMissing == 1 ? "change of others is" : "changes of others are") missing until a sync with a device that keeps all; until then what "
          + "is shown is not whole.")
    }
    if report.isKeeper {
      try console.print(
        "This device promised to keep all history, and others rely on what its home held: run "
          + "\"\(Program.name) sync\" with each of them before they run \"compact\" again.")
    }
    for remote in report.doubtfulRemotes {
      try console.print(
        "A remote is not certain any more: add it again if it is yours: \(Program.name) remote add "
          + TerminalText.line(remote))
    }
  }
}
