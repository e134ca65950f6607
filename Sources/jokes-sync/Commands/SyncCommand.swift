internal import OfflineTree
internal import Replicator

extension Command {
  static let sync = Command(
    name: "sync", usage: "", summary: "exchange changes with every remote, once",
    details: "A remote that cannot be reached does not keep the others from it; the exit status says so (69).",
    operands: 0...0, example: "jokes-sync sync"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let results = try await Replicator(database: database).syncOnce()
    if results.isEmpty {
      throw TreeError(
        .notFound, "there is no remote to exchange with",
        advice: "Add one: \"jokes-sync remote add folder PATH\" or \"jokes-sync remote add tcp HOST:PORT\".")
    }
    try report(results, invocation.console)
    if try database.read({ try $0.genesis() }) == nil {
      invocation.console.report(
        "Nothing of this space has come yet. Sync the device that made the invite first, with the same remote; the "
          + "space is \(database.spaceID), as \"\(Program.name) status\" shows it on both.")
    }
  }
  /// - Throws: The last failure; those before it are reported.
  static func report(_ results: [RemoteResult], _ console: Console) throws {
    for result in results { try RemoteText.print(result, console) }
    let failures = results.compactMap(RemoteText.error)
    for failure in failures.dropLast() { console.report(failure) }
    if let failure = failures.last { throw failure }
  }
}
