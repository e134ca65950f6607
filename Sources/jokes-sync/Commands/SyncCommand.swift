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
    let results = await Replicator(database: database).syncOnce()
    if results.isEmpty {
      throw TreeError(
        .notFound, "there is no remote to exchange with",
        advice: "Add one: \"jokes-sync remote add folder PATH\" or \"jokes-sync remote add tcp HOST:PORT\".")
    }
    var failure: TreeError?
    for result in results { failure = try RemoteText.print(result, invocation.console) ?? failure }
    if let failure { throw failure }
  }
}
