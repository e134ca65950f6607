internal import OfflineTree

extension Command {
  static let verify = Command(
    name: "verify", usage: "", summary: "check everything that is stored on this device",
    details: "Every record, every chain and the state hash. Damage is listed, and the exit status is 74.",
    operands: 0...0, example: "jokes-sync verify"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let bar = ProgressBar("Verifying", invocation.console)
    let report = try database.verify { done, total in bar.show(done, of: total) }
    bar.end()
    for problem in report.problems { invocation.console.report("damaged: \(problem)") }
    if !report.problems.isEmpty {
      throw TreeError(
        .damaged, "\(report.problems.count) problems in \(database.home)",
        advice:
          "Keep a copy of the home, then join the space anew in another one and sync: what others hold comes back.")
    }
    try invocation.console.print("\(report.checked) records checked, no damage.")
  }
}
