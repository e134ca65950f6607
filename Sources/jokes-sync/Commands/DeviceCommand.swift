internal import OfflineTree

extension Command {
  static let device = Command(
    name: "device", usage: "rename NAME", summary: "what people call this device",
    details: "Names are for people: two devices may have one name. The key tells them apart.", operands: 2...2,
    example: "jokes-sync device rename \"ben's phone\""
  ) { invocation in
    let words = invocation.arguments.operands
    guard words[0] == "rename" else { throw invocation.usage("\"device \(words[0])\" is not understood") }
    let database = try invocation.openDatabase()
    defer { database.close() }
    try database.renameDevice(words[1])
    invocation.console.report(
      "This device is called \(TerminalText.line(words[1])). Others learn of it when they sync.")
  }
}
