internal import OfflineTree
internal import Replicator

extension Command {
  static let remote = Command(
    name: "remote", usage: "add folder PATH|tcp HOST:PORT | list | remove folder PATH|tcp HOST:PORT",
    summary: "where changes are exchanged",
    details: """
      A folder is one that something else carries to the other devices: a synced or shared folder, a USB stick. A TCP
      remote is a device on which "jokes-sync run --listen ADDR:PORT" runs. "list" prints one a line, as "add" takes it.
      """,
    operands: 1...3, example: "jokes-sync remote add folder ~/Sync/jokes\njokes-sync remote add tcp 192.168.1.7:4321"
  ) { invocation in
    let database = try invocation.openDatabase()
    defer { database.close() }
    let replicator = Replicator(database: database)
    let words = invocation.arguments.operands
    switch (words[0], words.count) {
    case ("add", 3):
      let added = try replicator.addRemote(try address(words))
      invocation.console.report("Added \(added). Next: jokes-sync sync once, or jokes-sync run to stay in exchange.")
    case ("remove", 3): try replicator.removeRemote(try address(words))
    case ("list", 1):
      for remote in try replicator.remotes() { try invocation.console.print(TerminalText.line(remote.description)) }
    case ("add", _), ("remove", _): throw invocation.usage("it takes a kind and a place after \"remote \(words[0])\"")
    default: throw invocation.usage("\"remote \(words.joined(separator: " "))\" is not understood")
    }
  }

  /// A folder's path is kept as an absolute one, since the next command may run elsewhere.
  private static func address(_ words: [String]) throws(TreeError) -> RemoteAddress {
    switch words[1] {
    case "folder":
      if words[2].isEmpty { throw TreeError(.invalidArgument, "the path is empty", advice: "Name a folder.") }
      return .folder(path: absolutePath(words[2]))
    case "tcp": return try .tcp(parsing: words[2])
    default:
      throw TreeError(
        .invalidArgument, "there is no kind of remote \"\(words[1])\"", advice: "Write: folder PATH, or tcp HOST:PORT.")
    }
  }
}
