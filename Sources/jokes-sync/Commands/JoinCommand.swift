internal import OfflineTree
internal import Replicator

extension Command {
  static let join = Command(
    name: "join", usage: "[--device NAME] [INVITE]",
    summary: "make this a device of a space that exists; asks for the invite",
    details: """
      The invite is the line that "jokes-sync invite" printed on a device of the space. Without one it asks, or reads standard
      input, which is better: what stands in a command is in the shell's history. Addresses in the invite become remotes. A
      newcomer knows nothing of the space: its first act is a sync, and until then a write is refused.
      """,
    options: [.device], operands: 0...1,
    example: """
      jokes-sync join
      jokes-sync remote add folder ~/Sync/jokes
      jokes-sync sync
      """
  ) { invocation in
    let home = try invocation.home()
    let device = try DeviceName.checked(invocation.arguments.value(of: Option.device.name) ?? hostName())
    let given = invocation.operand(0)
    if given != nil { warn(invocation.console) }
    let invite = try Invite(parsing: try given ?? ask(invocation.console))
    let database = try Database.join(
      at: home, invite: invite, deviceName: device)
    defer { database.close() }
    let added = try addRemotes(invite.addresses, to: database, invocation.console)
    let next = added == 0 ? "\(Program.name) remote add folder PATH or tcp HOST:PORT, then " : ""
    invocation.console.report(
      """
      \(database.home) holds a device of the space now, which knows nothing of it yet.
      Next: \(next)\(Program.name) sync. The device that made the invite must have synced after making it.
      """)
  }

  private static func warn(_ console: Console) {
    console.report(
      """
      warning: the invite was a word of the command. It is in the shell's history, and others on this machine may have seen it.
      Delete it there, or end it once this device has synced: \(Program.name) invite end. Next time run "\(Program.name) join"
      alone, and paste.
      """)
  }

  private static func ask(_ console: Console) throws(TreeError) -> String {
    try StandardInput.answer(
      to: "Paste the invite, the line that begins with \"offlinetree1:\", and press Enter.",
      missing: TreeError(
        .invalidArgument, "there is no invite",
        advice: "Ask a member for one: \"\(Program.name) invite\" prints it; \"\(Program.name) join\" reads it."),
      limit: Limits.inviteLineBytes, console)
  }

  /// What the inviting person wrote: only devices to dial, never a folder of this machine.
  private static func addRemotes(
    _ addresses: [String], to database: Database, _ console: Console
  ) throws -> Int {
    let replicator = Replicator(database: database)
    var count = 0
    for text in addresses {
      guard case .tcp(let host, let port)? = try? RemoteAddress(parsing: text) else {
        console.report(
          "note: the invite's address \"\(TerminalText.line(text))\" is no device to dial, and was left out")
        continue
      }
      let added = try replicator.addRemote(.tcp(host: host, port: port))
      console.report("Added \(RemoteText.address(added)), from the invite.")
      count += 1
    }
    return count
  }
}
