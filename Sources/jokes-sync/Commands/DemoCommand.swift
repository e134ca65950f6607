internal import OfflineTree

extension Command {
  static let demo = Command(
    name: "demo", usage: "[--keep]",
    summary: "three devices of two people post and vote while apart, meet, and show one feed",
    details: "In a temporary folder, in a few seconds. --keep leaves the homes there to look at.",
    options: [Option(name: "--keep", summary: "do not remove the homes in the end")], operands: 0...0,
    example: "jokes-sync demo"
  ) { invocation in
    let folder = try TemporaryFolder(keeps: invocation.arguments.has("--keep"))
    let demo = Demo(folder: folder.path, console: invocation.console)
    try await demo.run()
    try demo.sayWhereToGoOn(keeps: invocation.arguments.has("--keep"))
  }
}
