internal import OfflineTree
internal import Replicator

extension Command {
  private static let inProcess = "--in-process"

  static let doctor = Command(
    name: "doctor", usage: "", summary: "say in plain words what is wrong, and what to do",
    details: """
      Looks at the libraries, the home, the disk, the remotes and everything that "status" warns of. It changes nothing; only
      that a home was copied is noted in it, as by any command that opens it. The exit status is 0 if all is well, 1 if there is something to do, 74 if the database cannot be read. "jokes-sync verify" looks at
      every record besides.
      """,
    options: [Option(name: inProcess, summary: "not in a process of its own, which may die of a damaged file")],
    operands: 0...0, example: "jokes-sync doctor"
  ) { invocation in
    let home = try invocation.home()
    if invocation.arguments.has(inProcess) { return try examine(invocation, home) }
    switch try ChildProcess.run(["doctor", inProcess, "--home", home]) {
    case .exited(0): return
    case .exited(let status): throw ChildProcess.Failure(status: status)
    case .killed(let signal): throw died(of: signal, home)
    }
  }

  private static func examine(_ invocation: Invocation, _ home: String) throws {
    let console = invocation.console
    var doctor = Doctor()
    doctor.lookAtLibraries()
    doctor.lookAtDisk(of: home)
    doctor.lookAtDatabase(in: home) { () throws(TreeError) in try invocation.openDatabase() }
    for line in doctor.sound { try console.print("well  \(line)") }
    for line in doctor.troubles { try console.print("\(console.bold("!"))     \(line)") }
    try console.print(
      doctor.troubles.isEmpty
        ? "Nothing to do." : "\(doctor.troubles.count) \(doctor.troubles.count == 1 ? "thing" : "things") to do.")
    try console.flush()
    if let failure = doctor.failure { throw ChildProcess.Failure(status: failure.rawValue) }
    if !doctor.troubles.isEmpty { throw ChildProcess.Failure(status: ExitStatus.mismatch.rawValue) }
  }
}
