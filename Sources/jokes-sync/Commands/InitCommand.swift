internal import OfflineTree

extension Command {
  static let initialize = Command(
    name: "init", usage: "[--space NAME]", summary: "make a new space of jokes on this device, and print its id",
    details: "The name is a label for people. Other devices join by the id.",
    options: [Option(name: "--space", value: "NAME", summary: "a label for the space (jokes)")],
    operands: 0...0, example: "jokes-sync init --space office"
  ) { invocation in
    let database = try Database.create(
      at: try invocation.home(), space: invocation.arguments.value(of: "--space") ?? "jokes",
      addOnlySets: JokesSpace.addOnlySets, flags: JokesSpace.flags, deviceName: hostName())
    defer { database.close() }
    try invocation.console.print(database.spaceID.description)
    invocation.console.report(
      "A new space in \(database.home). Next: jokes-sync signup --username NAME. Other devices: jokes-sync join, with the id."
    )
  }
}
