internal import OfflineTree

enum Program {
  static let name = "jokes-sync"
  static let version = "0.1.0"

  static func run() async -> ExitStatus {
    let console = Console()
    do {
      let status = try await run(try ProgramArguments.all(), console)
      try console.flush()
      return status
    } catch is OutputClosed {
      return .success
    } catch let error as ScenarioMismatch {
      console.report("error: \(error.description)")
      return .mismatch
    } catch is CancellationError {
      return .success
    } catch let error as ChildProcess.Failure {
      return ExitStatus(rawValue: error.status) ?? .internal
    } catch {
      console.report(advised(error))
      return ExitStatus(error)
    }
  }

  static let repairAdvice =
    "Run \"\(name) repair\": it saves what only this device has, and the rest comes back from others."

  /// The library knows nothing of this program's commands.
  private static func advised(_ error: any Error) -> any Error {
    guard let error = error as? TreeError, error.code == .damaged,
      error.advice.utf8.elementsEqual(Store.damageAdvice.utf8)
    else { return error }
    return TreeError(.damaged, error.context, advice: repairAdvice, underlying: error.underlying)
  }

  private static func run(_ words: [String], _ console: Console) async throws -> ExitStatus {
    guard let split = CommandWords(words) else {
      try console.print(Help.program())
      return .success
    }
    if split.command == nil {
      if split.leadingOptions.contains("--version") {
        try console.print("\(name) \(version)")
        return .success
      }
      if let unknown = split.leadingOptions.first(where: { $0 != "--help" && $0 != "-h" }) {
        throw Usage.unknownOption(unknown, among: ["--help", "--version", Option.home.name])
      }
      try console.print(Help.program())
      return .success
    }
    return try await run(split, console)
  }

  private static func run(_ words: CommandWords, _ console: Console) async throws -> ExitStatus {
    let name = words.command ?? ""
    if name == "help" {
      try console.print(try words.following.first.map { Help.command(try CommandTable.find($0)) } ?? Help.program())
      return .success
    }
    let command = try CommandTable.find(name)
    let following = words.leading + words.following
    if Arguments.asksForHelp(following) {
      try console.print(Help.command(command))
      return .success
    }
    let arguments = try Arguments(following, of: command)
    let invocation = Invocation(command: command, arguments: arguments, console: console)
    try await command.run(invocation)
    return .success
  }
}

/// What stands before the command, the command, and what stands behind it.
struct CommandWords {
  var leading: [String] = []
  var command: String?
  var following: [String] = []

  /// What stands before the command without the home, which goes with everything.
  var leadingOptions: [String] {
    var options: [String] = []
    var rest = leading[...]
    while let word = rest.popFirst() {
      if word == Option.home.name {
        rest = rest.dropFirst()
      } else if !word.hasPrefix("\(Option.home.name)=") {
        options.append(word)
      }
    }
    return options
  }

  /// Nil if there are no words at all.
  init?(_ words: [String]) {
    if words.isEmpty { return nil }
    var rest = words[...]
    while let word = rest.first {
      rest = rest.dropFirst()
      if !word.hasPrefix("-") {
        command = word
        following = Array(rest)
        return
      }
      leading.append(word)
      if word == Option.home.name, let path = rest.first {
        leading.append(path)
        rest = rest.dropFirst()
      }
    }
  }
}
