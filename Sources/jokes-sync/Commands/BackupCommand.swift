internal import OfflineTree
internal import Replicator

extension Command {
  private static let code = Option(name: "--code", summary: "seal a new backup by a code, which is printed once")
  private static let check = Option(name: "--check", summary: "write nothing: open the file and check all of it")

  static let backup = Command(
    name: "backup", usage: "FILE [--code] [--check]", summary: "keep everything this device knows in one sealed file",
    details: """
      Makes the file, sealed by a password that it asks for, or adds to it what is new since: run it as often as you like. Other
      programs may go on meanwhile. With --code the file is sealed by a code instead, which is standard output's one line: write
      it on paper; it is kept nowhere. The file holds neither the keys of epochs nor the device's own (device.key in the home): keep
      a copy of those apart from it, and a restored home is the same device. Nor does it hold history that this device has dropped,
      see "history". "jokes-sync restore" needs the password or the code.
      """,
    options: [code, check, .backupPasswordFile, .backupCodeFile], operands: 1...1,
    example: "jokes-sync backup /media/stick/jokes.backup\njokes-sync backup /media/stick/jokes.backup --check"
  ) { invocation in
    let path = absolutePath(invocation.arguments.operands[0])
    let kind = try Backup.kind(of: path)
    if invocation.arguments.has(check) { return try summarize(path, kind, invocation) }
    let database = try invocation.openDatabase()
    defer { database.close() }
    guard !path.hasPrefix(database.home + "/") else {
      throw TreeError(
        .invalidArgument, "\(path) is in the home, and would be lost with it",
        advice: "Name a place on another disk.")
    }
    let secret = try kind.map { try BackupSecretInput.existing($0, invocation) } ?? new(invocation)
    let console = invocation.console
    let bar = ProgressBar("Backing up", console)
    let all = try database.read { try $0.status().logs.reduce(0) { $0 + Int($1.count) } }
    let report = try Backup.append(
      database, to: path, sealedBy: secret, files: try BackupFiles.names(in: database.home)
    ) { bar.show($0, of: all) }
    bar.end()
    if report.cutBytes > 0 {
      console.report("note: \(report.cutBytes) bytes of a backup that was broken off were taken away")
    }
    let dropped = try database.history().droppedChanges
    if dropped > 0 {
      console.report(
        "note: \(dropped) changes that this device dropped, and what came behind them in their logs, are not in it: back up "
          + "a device that keeps all history as well.")
    }
    let images = report.images > 0 ? " and \(report.images) \(report.images == 1 ? "image" : "images")" : ""
    console.report(
      "\(report.changes) \(report.changes == 1 ? "change" : "changes")\(images) added, \(report.addedBytes) bytes. "
        + "\(path) holds \(report.allChanges) in \(report.byteCount) bytes.")
  }

  /// A password to set, or a code that is shown before anything rests on it.
  private static func new(_ invocation: Invocation) throws -> BackupSecret {
    if invocation.arguments.value(of: Option.backupCodeFile.name) != nil {
      return try BackupSecretInput.existing(.code, invocation)
    }
    guard invocation.arguments.has(code) else {
      let password = try SecretInput("Password of the backup", .backupPasswordFile, invocation).newPassword()
      try password.requireStrong(for: [])
      return .password(password)
    }
    let code = RecoveryCode(for: .backup)
    invocation.console.report("The code of this backup follows: shown this once, kept nowhere. Write it on paper now.")
    try invocation.console.print(code.text)
    try invocation.console.flush()
    return .code(code)
  }

  private static func summarize(_ path: String, _ kind: BackupSecret.Kind?, _ invocation: Invocation) throws {
    guard let kind else { throw BackupSecretInput.missing(path) }
    let secret = try BackupSecretInput.existing(kind, invocation)
    let summary = try Backup.check(path, secret)
    try invocation.console.print(
      "\(path) is whole: \(summary.changes) changes of the space \(summary.space), backed up by "
        + "\(TerminalText.line(summary.deviceName)) until \(LocalTime.text(milliseconds: summary.wallTime)).")
  }
}

/// What opens a backup, typed or from a file.
enum BackupSecretInput {
  static func existing(_ kind: BackupSecret.Kind, _ invocation: Invocation) throws -> BackupSecret {
    switch kind {
    case .password:
      .password(try SecretInput("Password of the backup", .backupPasswordFile, invocation).password())
    case .code: .code(try SecretInput("Code of the backup", .backupCodeFile, invocation).recoveryCode(for: .backup))
    }
  }

  static func missing(_ path: String) -> TreeError {
    if FileSystem.exists(path) { return Backup.empty(path) }
    return TreeError(.notFound, "there is no backup \(path)", advice: "\"\(Program.name) backup FILE\" makes one.")
  }
}

/// The small files of a home that go along with a backup.
enum BackupFiles {
  /// Who is logged in: only that device is.
  static let user = "user"
  private static let hidden = "hidden."

  static func names(in home: String) throws(TreeError) -> [String] {
    try FileSystem.list(home).filter { $0 == user || isHiddenJokes($0) }
  }

  static func isHiddenJokes(_ name: String) -> Bool {
    let uid = name.utf8.dropFirst(hidden.utf8.count)
    return name.hasPrefix(hidden) && !uid.isEmpty
      && uid.allSatisfy { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "/") }
  }
}

extension Option {
  static let backupPasswordFile = Option(
    name: "--password-file", value: "FILE",
    summary: "a file whose one line is the backup's password; - is standard input")
  static let backupCodeFile = Option(
    name: "--code-file", value: "FILE", summary: "the same for the code of a backup that is sealed by one")
}
