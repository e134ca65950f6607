internal import OfflineTree
internal import Replicator

extension Command {
  static let invite = Command(
    name: "invite", usage: "[--expires DAYS] [--role ROLE] [--address HOST:PORT]… [--qr] | list [--json] | end KEY",
    summary: "print a line by which others join · list invites · end one",
    details: """
      Whoever holds the line can read everything in the space, and join it, with nobody awake. Ending an invite, by hand, by its
      age or by any removal, stops devices from joining by it. Nobody can end reading: in a folder that the holder can see, what
      the line opens stays open until the key changes ("jokes-sync rotate", "jokes-sync member remove"), and what was there
      before stays open for good. It can be used any number of times. Its age is counted by this device, which writes the end
      when it is next used. KEY is the beginning of an invite's key, as "list" shows it.
      """,
    options: [
      Option(name: "--expires", value: "DAYS", summary: "when this device ends it (7)"),
      Option(name: "--role", value: "ROLE", summary: "of who joins: reader, member or owner (member)"),
      Option(
        name: "--address", value: "HOST:PORT", summary: "where devices of the space listen; can be given 8 times"),
      Option(name: "--qr", summary: "draw a QR code though the output is no terminal"), .json,
    ],
    operands: 0...2, example: "jokes-sync invite --expires 1 --address 192.168.1.7:4321"
  ) { invocation in
    let words = invocation.arguments.operands
    let database = try invocation.openDatabase()
    defer { database.close() }
    switch (words.first, words.count) {
    case (nil, _): try make(invocation, database)
    case ("list", 1):
      try InviteText.list(try database.invites(), json: invocation.arguments.has(.json), invocation.console)
    case ("end", 2):
      let invite = try InviteText.find(words[1], in: try database.invites())
      try database.endInvite(invite.publicKey)
      invocation.console.report(
        """
        The invite \(InviteText.key(invite)) has ended. Others learn of it when they sync; nobody joins by it after that.
        Whoever holds the line can still read: \(Program.name) rotate changes the key for what comes.
        """)
    default: throw invocation.usage("\"invite \(words.joined(separator: " "))\" is not understood")
    }
  }

  private static let dayMilliseconds: Int64 = 86_400_000
  private static let longestDays = 3_650

  private static func make(_ invocation: Invocation, _ database: Database) throws {
    let arguments = invocation.arguments
    let role = try arguments.value(of: "--role").map(role) ?? .member
    let days = try arguments.count(of: "--expires", default: 7)
    if days > longestDays {
      throw TreeError(.invalidArgument, "--expires \(days) is more than \(longestDays) days", advice: "Give fewer.")
    }
    let addresses = try addresses(arguments.values(of: "--address"))
    let end = Environment.system.wallClock() + Int64(days) * dayMilliseconds
    let invite = try database.invite(role: role, expires: end, addresses: addresses)
    let line = invite.line
    try invocation.console.print(line)
    try draw(line, isForced: arguments.has("--qr"), invocation.console)
    invocation.console.report(
      """
      Whoever holds this line can read everything in the space, and join it as \(role.phrase). In a folder nobody can take the
      reading back. Hand it over as you would a key, and show it to nobody else.
      It ends on \(LocalTime.text(milliseconds: end)), when this device is next used. Sooner: \(Program.name) invite end \(InviteText.key(invite.publicKey))
      Next: \(Program.name) sync here, so that others know of the invite; then \(Program.name) join on the new device.
      """)
  }

  /// Each once, in the order in which they were given first.
  private static func addresses(_ texts: [String]) throws(TreeError) -> [String] {
    var addresses: [RemoteAddress] = []
    for text in texts {
      let address = try RemoteAddress.tcp(parsing: text)
      if !addresses.contains(address) { addresses.append(address) }
    }
    return addresses.map(\.description)
  }

  /// - Throws: `invalidArgument`.
  static func role(_ text: String) throws(TreeError) -> Role {
    guard let role = Role.allCases.first(where: { $0.description.utf8.elementsEqual(text.utf8) }) else {
      throw TreeError(
        .invalidArgument, "there is no role \"\(text)\"",
        advice: "Write one of \(Role.allCases.map(\.description).joined(separator: ", ")).")
    }
    return role
  }

  /// Beside a line that goes elsewhere than to a terminal there is no code, since nobody asked to see it.
  private static func draw(_ line: String, isForced: Bool, _ console: Console) throws {
    guard isForced || console.isTerminal && console.errorIsTerminal else { return }
    let code = try QRCode(line)
    if !isForced, console.size.columns < code.columns {
      console.report("The terminal is too narrow for the QR code: it takes \(code.columns) columns.")
      return
    }
    try console.flush()
    let isColored = console.errorIsTerminal && environmentVariable("TERM") != "dumb"
    console.draw(code.lines(colored: isColored).joined(separator: "\n") + "\n")
  }
}

extension Role {
  /// "a member", "an owner".
  var phrase: String { "\(self == .owner ? "an" : "a") \(self)" }
}
