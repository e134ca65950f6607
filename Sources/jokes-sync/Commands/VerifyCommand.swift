internal import OfflineTree

extension Command {
  private static let inProcess = "--in-process"

  static let verify = Command(
    name: "verify", usage: "[--against HOME]", summary: "check everything that is stored on this device",
    details: """
      Every page and record, every chain, every total and the state hash. Damage is listed, and the exit status is 74;
      "\(Program.name) repair" is what to do then. --against compares with another home of the space on this machine, such as a
      restored one: two with the same changes have the same state, and where they differ is named.
      """,
    options: [
      VerifyAgainst.option,
      Option(name: inProcess, summary: "not in a process of its own, which may die of a damaged file"),
    ],
    operands: 0...0, example: "jokes-sync verify"
  ) { invocation in
    if let other = invocation.arguments.value(of: VerifyAgainst.option.name) {
      return try VerifyAgainst.compare(invocation, absolutePath(other))
    }
    if invocation.arguments.has(inProcess) { return try verify(invocation) }
    try invocation.requireSoundPages(maximumBytes: .max)
    switch try verifyInChild(try invocation.home()) {
    case .exited(0): return
    case .exited(let status): throw ChildProcess.Failure(status: status)
    case .killed(let signal): throw died(of: signal, try invocation.home())
    }
  }

  /// Looks at everything in a process of its own: LMDB trusts its file, and dies where it is wrong.
  static func verifyInChild(_ home: String) throws(TreeError) -> ChildProcess.End {
    try ChildProcess.run(["verify", inProcess, "--home", home])
  }

  static func died(of signal: Int32, _ home: String) -> TreeError {
    TreeError(
      .damaged, "the database in \(home) cannot be read to its end: the look at it died of signal \(signal)",
      advice: Program.repairAdvice)
  }

  private static func verify(_ invocation: Invocation) throws {
    let database = try invocation.openDatabase()
    defer { database.close() }
    let bar = ProgressBar("Verifying", invocation.console)
    let report = try database.verify { done, all in bar.show(done, of: all) }
    bar.end()
    for problem in report.problems { invocation.console.report("damaged: \(problem)") }
    if !report.isSound {
      throw TreeError(
        .damaged, "\(report.problems.count) problems in \(database.home)", advice: Program.repairAdvice)
    }
    try invocation.console.print(
      "\(report.rows) records, \(report.changes) changes and \(report.registers) values checked: no damage.")
  }
}
