internal import OfflineTree
internal import Replicator

extension Command {
  private static let key = Option(
    name: "--key", value: "FILE", summary: "be the same device again: the device.key of the old home")
  private static let inviteFile = Option(
    name: "--invite", value: "FILE", summary: "be a new device: a file that holds an invite; - is standard input")
  private static let damaged = Option(name: "--damaged", summary: "take what can still be read of a damaged backup")

  static let restore = Command(
    name: "restore", usage: "FILE [--key FILE|--invite FILE]", summary: "make a home from a backup",
    details: """
      With --key it is the device that it was, in a new log: what it had published since comes back by the next sync. With --invite
      it is a new device of the space. With neither it shows and exports what the backup holds, and writes nothing. The home is made
      in the folder that --home names, and without it where all commands look for one. A home that exists stays the device that it
      is, and takes in what it lacks: nothing is lost or counted twice, so that a restore that was broken off is run again.
      """,
    options: [key, inviteFile, .device, damaged, .backupPasswordFile, .backupCodeFile], operands: 1...1,
    example: """
      jokes-sync restore jokes.backup --home ~/restored --key /media/safe/device.key
      jokes-sync restore jokes.backup --home ~/restored --invite invite.txt
      """
  ) { invocation in
    let path = absolutePath(invocation.arguments.operands[0])
    let home = try invocation.home()
    let identity = try identity(invocation)
    guard let kind = try Backup.kind(of: path) else { throw BackupSecretInput.missing(path) }
    let secret = try BackupSecretInput.existing(kind, invocation)
    let (database, restoring) = try Backup.open(home, for: path, secret, as: identity)
    defer { database.close() }
    let bar = ProgressBar("Restoring", invocation.console)
    let restored = try restoring.run(into: database, isPatient: invocation.arguments.has(damaged)) {
      bar.show($0, of: $1)
    }
    bar.end()
    try RestoredHome(
      database: database, identity: identity, target: restoring.target, restored: restored, console: invocation.console
    ).finish()
  }

  private static func identity(_ invocation: Invocation) throws -> Backup.Identity {
    let arguments = invocation.arguments
    switch (arguments.value(of: key.name), arguments.value(of: inviteFile.name)) {
    case (.some, .some): throw invocation.usage("--key and --invite exclude each other")
    case (let file?, nil): return .sameDevice(keys: absolutePath(file))
    case (nil, let file?):
      let name = try DeviceName.checked(arguments.value(of: Option.device.name) ?? hostName())
      return .newDevice(try Invite(parsing: try line(of: file, invocation.console)), name: name)
    case (nil, nil): return .nobody
    }
  }

  private static func line(of file: String, _ console: Console) throws -> String {
    let missing = TreeError(
      .invalidArgument, "there is no invite in \(file)",
      advice: "Ask a member for one: \"\(Program.name) invite\" prints it.")
    if file == "-" {
      return try StandardInput.answer(
        to: "Paste the invite, the line that begins with \"offlinetree1:\", and press Enter.", missing: missing,
        limit: Limits.inviteLineBytes, console)
    }
    guard let bytes = try SmallFile.read(file, limit: Limits.inviteLineBytes),
      let text = String(validating: bytes, as: UTF8.self)
    else { throw missing }
    return text
  }
}

/// What is left to do when the changes are here, and what to say.
private struct RestoredHome {
  let database: Database
  let identity: Backup.Identity
  let target: Backup.Target
  let restored: Backup.Restored
  let console: Console

  func finish() throws {
    let isReadOnly = try database.ownStanding().isReadOnly
    if target != .other || isReadOnly { try putFiles() }
    let proof = restored.isProven ? "; the state is the one that was backed up" : ""
    console.report(
      "\(restored.applied) changes restored, \(restored.duplicates) were here\(proof). The home: \(database.home)")
    if restored.damages > 0 {
      console.report("warning: \(restored.damages) damaged places were passed over. A sync brings what others have.")
    }
    if restored.incompleteLogs > 0 {
      console.report(
        "warning: not all that the backup held is here: \(restored.incompleteLogs) "
          + "\(restored.incompleteLogs == 1 ? "log ends" : "logs end") before. A sync brings what others have.")
    }
    if restored.waiting > 0 {
      console.report("\(restored.waiting) changes wait for others that the backup does not hold: sync.")
    }
    switch (target, identity) {
    case (.other, _) where !isReadOnly: console.report("The home was here, and is what it was: the device \(name).")
    case (.same, .sameDevice):
      try addRemotes()
      console.report("The home was here, and is what it was: the device \(name). Next: \(Program.name) sync.")
    case (.made, .sameDevice):
      try addRemotes()
      console.report(
        "It is \(name) again, and begins a new log. Next: \(Program.name) sync. Do not use "
          + "the old home any more, if it is still there; should both write, nothing is lost.")
    case (.made, .newDevice), (.same, .newDevice):
      tellRemotes("It is a new device of the space. Next: \(Program.name) sync, and login.")
    case (_, .nobody), (.other, _):
      tellRemotes(
        "It is no device of the space: it shows what it holds, and exports it, and cannot write. Restore with --key or --invite "
          + "into another home for that.")
    }
  }

  private var name: String { TerminalText.line(database.deviceName) }

  /// What a home has by now stays.
  private func putFiles() throws {
    for (name, bytes) in restored.files {
      let path = "\(database.home)/\(name)"
      guard isWanted(name), !FileSystem.exists(path) else { continue }
      try SmallFile.write(bytes, to: path)
    }
  }

  private func isWanted(_ name: String) -> Bool {
    if case .sameDevice = identity, name == BackupFiles.user { return true }
    return BackupFiles.isHiddenJokes(name)
  }

  private func addRemotes() throws {
    let replicator = Replicator(database: database)
    for address in restored.remotes {
      do {
        console.report("Added \(RemoteText.address(try replicator.addRemote(address))).")
      } catch let error as TreeError {
        console.report("note: \(RemoteText.address(address)) was left out: \(TerminalText.line(error.context))")
      }
    }
  }

  private func tellRemotes(_ next: String) {
    console.report(next)
    if !restored.remotes.isEmpty {
      console.report("It exchanged by \(restored.remotes.map(RemoteText.address).joined(separator: ", ")).")
    }
  }
}
