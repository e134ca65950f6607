internal import OfflineTree

extension Command {
  static let leave = Command(
    name: "leave", usage: "[--yes]", summary: "take this device out of the space, for good",
    details: """
      The device keeps what it has and can read it; it never writes or connects again. What it wrote before stays in the space.
      To come back it needs an invite and a new home.
      """,
    options: [.yes], operands: 0...0, example: "jokes-sync leave"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let console = invocation.console
    if isLastOwner(in: try database.members()) {
      console.report(
        "This is the only owner: without it, only the recovery code lets anybody invite, remove, moderate or change the key."
      )
    }
    try Confirmation.require(
      "yes", "This device can never write or connect again. Type yes to leave the space:", invocation)
    try database.leave()
    console.report(
      """
      This device has left the space. Others learn of it from it once more: run "\(Program.name) sync". A device that hears
      of it closes the connection without a word.
      \(database.home) can still be read; remove the folder when you need it no longer.
      """)
  }

  private static func isLastOwner(in members: [Member]) -> Bool {
    let owners = members.filter { $0.role == .owner && !$0.isEnded }
    return owners.count == 1 && owners[0].isSelf
  }
}
