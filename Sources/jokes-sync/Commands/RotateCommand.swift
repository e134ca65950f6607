internal import OfflineTree

extension Command {
  static let rotate = Command(
    name: "rotate", usage: "", summary: "give the space a new key, for what comes from now on",
    details: """
      For a line or a backup that fell into wrong hands: who only has the old key cannot read what comes after. What was there
      before stays readable to them. Every member gets the new key with its next sync. Open invites keep working.
      """,
    operands: 0...0, example: "jokes-sync rotate"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    try database.rotate()
    invocation.console.report(
      "The space has a new key. Others learn of it when they sync; until then what they write is under the old one.")
  }
}
