internal import OfflineTree

extension Command {
  static let member = Command(
    name: "member", usage: "list [--json] | grant NAME ROLE | remove NAME…",
    summary: "devices of the space and what they may do · give a role · remove some",
    details: """
      Each device is a member of its own. A reader sees everything and changes nothing; a member writes; an owner invites, removes
      members and changes the key. Only the device that made the space, or its recovery code, makes and ends owners. NAME is a
      device's name, or 4 or more digits that its key begins with. "remove" is one change: it ends the devices and all open invites, and gives
      the space a new key, which those who stay get. What a removed device wrote without anybody knowing is void.
      """,
    options: [.json], operands: 1...64,
    example: "jokes-sync member grant \"ben's phone\" reader\njokes-sync member remove cleo"
  ) { invocation in
    let words = invocation.arguments.operands
    let database = try invocation.openDatabase()
    defer { database.close() }
    let console = invocation.console
    switch (words[0], words.count) {
    case ("list", 1): try MemberText.list(try database.members(), json: invocation.arguments.has(.json), console)
    case ("grant", 3):
      let role = try role(words[2])
      let member = try MemberName.resolve(words[1], in: try database.members())
      try database.grant(role, to: member.deviceKey)
      console.report(
        "\(TerminalText.line(member.name)) is \(role.phrase) from now on. Others learn of it when they sync.")
    case ("remove", 2...):
      let members = try MemberName.resolve(Array(words[1...]), in: try database.members())
      try database.removeMembers(members.map(\.deviceKey))
      console.report(MemberText.removed(members))
    default: throw invocation.usage("\"member \(words.joined(separator: " "))\" is not understood")
    }
  }
}
