internal import OfflineTree
internal import Replicator

extension Command {
  static let run = Command(
    name: "run", usage: "[--listen ADDR:PORT]", summary: "stay and exchange: watch folders, listen, dial; until ^C",
    details: """
      --listen alone in front of nothing listens nowhere else than it says: without an address, "--listen :4321" is
      127.0.0.1. Port 0 takes any free one and prints it. Anybody who reaches the port and knows the space can read it:
      keep to networks that you trust.
      """,
    options: [Option(name: "--listen", value: "ADDR:PORT", summary: "take connections (127.0.0.1:0 prints its port)")],
    operands: 0...0, example: "jokes-sync run --listen 127.0.0.1:4321"
  ) { invocation in
    let listen = try invocation.arguments.value(of: "--listen").map(endpoint)
    let database = try invocation.openDatabase()
    defer { database.close() }
    let replicator = Replicator(database: database)
    try await Interrupt.run { try await replicator.run(listen: listen) }
  }

  /// "ADDR:PORT", ":PORT" or "PORT".
  private static func endpoint(_ text: String) throws(TreeError) -> (host: String, port: Int) {
    let isPort = !text.utf8.contains(UInt8(ascii: ":"))
    let full = isPort ? "127.0.0.1:\(text)" : text.hasPrefix(":") ? "127.0.0.1\(text)" : text
    return try RemoteAddress.hostAndPort(full)
  }
}
