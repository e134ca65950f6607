internal import OfflineTree

extension Command {
  static let get = Command(
    name: "get", usage: "PATH [--pretty]", summary: "what is at a path, as JSON; null if nothing is",
    options: [.pretty], operands: 1...1, example: "jokes-sync get users/alice --pretty"
  ) { invocation in
    let target = try RawPath(invocation.operand(0) ?? "")
    let database = try invocation.openDatabase()
    defer { database.close() }
    let text = try database.read { transaction in
      guard target.isPriority else {
        return try transaction.json(at: target.path, pretty: invocation.arguments.has(.pretty))
      }
      return try transaction.priority(at: target.path).map { Value($0) }?.json() ?? "null"
    }
    try invocation.console.print(json: text)
  }

  static let watch = Command(
    name: "watch", usage: "PATH", summary: "what is at a path, now and after each change, until ^C",
    details: "One JSON document a line. Changes that follow each other quickly may come as one.", operands: 1...1,
    example: "jokes-sync watch jokes"
  ) { invocation in
    let path = try RawPath.node(invocation.operand(0) ?? "")
    let database = try invocation.openDatabase()
    defer { database.close() }
    let console = invocation.console
    try await Interrupt.run {
      for try await value in database.values(at: path) {
        try console.print(json: value.json())
        try console.flush()
      }
    }
  }
}
