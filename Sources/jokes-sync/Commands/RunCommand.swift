internal import OfflineTree
internal import Replicator

extension Command {
  static let run = Command(
    name: "run", usage: "[--listen ADDR:PORT]", summary: "stay and exchange: watch folders, listen, dial; until ^C",
    details: """
      Without --listen it only watches and dials. Without an address, as in "--listen :4321", it listens on 127.0.0.1; port 0
      is any free one, which is printed. Only members of the space connect, encrypted; anybody else gets no answer.
      """,
    options: [Option(name: "--listen", value: "ADDR:PORT", summary: "take connections (127.0.0.1:0 prints its port)")],
    operands: 0...0, example: "jokes-sync run --listen 127.0.0.1:4321"
  ) { invocation in
    let listen = try invocation.arguments.value(of: "--listen").map(endpoint)
    let database = try invocation.openDatabase()
    defer { database.close() }
    let replicator = Replicator(database: database)
    let console = invocation.console
    if listen == nil, try replicator.remotes().isEmpty {
      console.report("There is no remote yet, and it does not listen: it waits for \"\(Program.name) remote add\".")
    }
    if console.errorIsTerminal { console.report("In exchange. ^C ends.") }
    try await Interrupt.run {
      try await replicator.run(listen: listen) { event in RunText.print(event, host: listen?.host, console) }
    }
  }

  /// "ADDR:PORT", ":PORT" or "PORT".
  private static func endpoint(_ text: String) throws(TreeError) -> (host: String, port: Int) {
    let isPort = !text.utf8.contains(UInt8(ascii: ":"))
    let full = isPort ? "127.0.0.1:\(text)" : text.hasPrefix(":") ? "127.0.0.1\(text)" : text
    return try RemoteAddress.hostAndPort(full)
  }
}

/// What happens while the program stays, a line each.
private enum RunText {
  /// Nobody reads the lines of a closed output, and the exchange goes on.
  static func print(_ event: ReplicatorEvent, host: String?, _ console: Console) {
    switch event {
    case .listening(let port): line("listening on \(host ?? "127.0.0.1"):\(port)", console)
    case .exchanged(let address, let report):
      line("\(RemoteText.address(address)): \(RemoteText.summary(report))", console)
      RemoteText.report(report, console)
    case .failed(let address, let error): console.report("\(RemoteText.error(error, of: address))")
    case .connected(let peer): line("connected: \(TerminalText.line(peer.name))", console)
    case .disconnected(let peer, let error):
      let name = peer.map { TerminalText.line($0.name) } ?? "a device"
      line("disconnected: \(name)" + (error.map { ": \(TerminalText.line($0.description))" } ?? ""), console)
    case .received(let count): line("received \(count) \(count == 1 ? "change" : "changes")", console)
    case .note(let text): console.report("note: \(text)")
    }
  }

  private static func line(_ text: String, _ console: Console) {
    try? console.print(text)
    try? console.flush()
  }
}
