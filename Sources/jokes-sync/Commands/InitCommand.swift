internal import OfflineTree

extension Command {
  static let initialize = Command(
    name: "init", usage: "[--space NAME] [--device NAME] [--members-invite]",
    summary: "make a new space of jokes on this device, and print its recovery code",
    details: """
      The recovery code is standard output's one line. It makes any device of the space an owner, should the owners' devices be
      lost ("jokes-sync recover-owner"). It is printed once and kept nowhere: write it on paper. Other devices join by an
      invite. The space's name is a label for people; what the space declares is fixed for ever.
      """,
    options: [
      Option(name: "--space", value: "NAME", summary: "a label for the space (jokes)"), .device,
      Option(name: "--members-invite", summary: "let every member invite, not owners alone"),
    ],
    operands: 0...0, example: "jokes-sync init --space office"
  ) { invocation in
    let code = RecoveryCode()
    let arguments = invocation.arguments
    let device = try DeviceName.checked(arguments.value(of: Option.device.name) ?? hostName())
    let database = try Database.create(
      at: try invocation.home(), space: arguments.value(of: "--space") ?? "jokes",
      addOnlySets: JokesSpace.addOnlySets, flags: JokesSpace.flags, rules: JokesSpace.rules,
      membersMayInvite: arguments.has("--members-invite"), recovery: code,
      deviceName: device)
    defer { database.close() }
    let console = invocation.console
    console.report(
      """
      A new space in \(database.home). Its recovery code follows: shown this once, kept nowhere. Write it on paper now.
      """)
    try console.print(code.text)
    console.report(
      """
      If the owners' devices are lost, "\(Program.name) recover-owner" makes a device an owner by this code, and can end lost ones.
      Whoever has the code can do that: keep the paper where nobody else finds it.
      Next: \(Program.name) signup --email EMAIL --username NAME. For each other device: \(Program.name) invite here, \(Program.name) join there.
      """)
  }
}

extension Option {
  static let device = Option(
    name: "--device", value: "NAME", summary: "what people call this device (the name of the machine)")
}
