internal import OfflineTree

extension Command {
  static let recoverOwner = Command(
    name: "recover-owner", usage: "[--remove NAME]…",
    summary: "make this device an owner, by the code that \"init\" printed",
    details: """
      Asks for the recovery code, which is not shown while it is typed, or reads standard input. The device must be in the space.
      --remove ends devices as "member remove" does, owners too: for those that were lost or taken.
      """,
    options: [Option(name: "--remove", value: "NAME", summary: "a device to end; can be given several times")],
    operands: 0...0, example: "jokes-sync recover-owner --remove \"the stolen laptop\""
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let names = invocation.arguments.values(of: "--remove")
    let lost = names.isEmpty ? [] : try MemberName.resolve(names, in: try database.members())
    let code = try ask(invocation.console)
    try database.recoverOwner(code, removing: lost.map(\.deviceKey))
    invocation.console.report("This device is an owner now. Others learn of it when they sync.")
    if !lost.isEmpty { invocation.console.report(MemberText.removed(lost)) }
  }

  private static let limit = 1_024

  private static func ask(_ console: Console) throws -> RecoveryCode {
    let missing = TreeError(
      .invalidArgument, "there is no recovery code",
      advice: "It is on the paper that was written when the space was made; type it, or pass it on standard input.")
    var typed: [UInt8]
    if StandardInput.isTerminal {
      guard let line = try HiddenInput.answer(to: "Recovery code", console) else { throw missing }
      typed = line
    } else {
      typed = try StandardInput.readAll(limit: limit)
    }
    defer { Sodium.wipe(&typed) }
    if typed.allSatisfy({ $0 <= UInt8(ascii: " ") }) { throw missing }
    return try RecoveryCode(parsing: typed)
  }
}
