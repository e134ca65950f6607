internal import OfflineTree

extension Command {
  static let join = Command(
    name: "join", usage: "[SPACE-ID]", summary: "make this a device of a space that exists; asks for the id",
    details: """
      Without an id it asks for one, or reads a line of standard input. A newcomer knows nothing of the space: its first
      act is a sync, and until then a write is refused.
      """,
    operands: 0...1,
    example: "jokes-sync join 3f0a…e1\njokes-sync remote add folder ~/Sync/jokes\njokes-sync sync"
  ) { invocation in
    let home = try invocation.home()
    let space = try spaceID(try invocation.operand(0) ?? ask(invocation.console))
    let database = try Database.join(at: home, space: space, deviceName: hostName())
    defer { database.close() }
    invocation.console.report(
      "\(database.home) is a device of the space now. Next: jokes-sync remote add, then jokes-sync sync.")
  }

  private static func ask(_ console: Console) throws(TreeError) -> String {
    if StandardInput.isTerminal { console.report("The id of the space (\"jokes-sync status\" shows it there):") }
    guard let line = readLine() else {
      throw TreeError(.invalidArgument, "there is no space id", advice: "Pass it: jokes-sync join SPACE-ID.")
    }
    return line
  }

  private static func spaceID(_ text: String) throws(TreeError) -> SpaceID {
    let digits = text.filter { !$0.isWhitespace }
    guard let bytes = bytes(fromHexadecimal: digits), bytes.count == 32 else {
      throw TreeError(
        .invalidArgument, "\"\(digits.prefix(80))\" is no space id",
        advice: "An id has 64 hexadecimal digits; \"jokes-sync status\" shows it on a device of the space.")
    }
    return SpaceID(bytes)
  }
}
