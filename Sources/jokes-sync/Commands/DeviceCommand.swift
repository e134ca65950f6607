internal import OfflineTree

extension Command {
  static let device = Command(
    name: "device", usage: "rename NAME", summary: "what people call this device",
    details: "Names are for people: two devices may have one name. The key tells them apart.", operands: 2...2,
    example: "jokes-sync device rename \"ben's phone\""
  ) { invocation in
    let words = invocation.arguments.operands
    guard words[0] == "rename" else { throw invocation.usage("\"device \(words[0])\" is not understood") }
    let name = try DeviceName.checked(words[1])
    let database = try invocation.openDatabase()
    defer { database.close() }
    try database.renameDevice(name)
    invocation.console.report(
      "This device is called \(name). Others learn of it when they sync.")
  }
}

enum DeviceName {
  /// - Throws: `invalidArgument` for a name that no terminal would show as it is.
  static func checked(_ name: String) throws(TreeError) -> String {
    guard TerminalText.line(name).utf8.elementsEqual(name.utf8) else {
      throw TreeError(
        .invalidArgument, "a device's name holds a control character: \"\(TerminalText.line(name))\"",
        advice: "Choose a name without line breaks, tabs and characters that change how text is shown.")
    }
    return name
  }
}
