internal import OfflineTree

extension Command {
  static let conflicts = Command(
    name: "conflicts", usage: "[PATH] [--json]", summary: "what is live and not shown, and who wrote it",
    details: "Conflicts stay until somebody who has seen them writes there. \"jokes-sync set\" settles one.",
    options: [.json], operands: 0...1, example: "jokes-sync conflicts settings"
  ) { invocation in
    let path = try RawPath.node(invocation.operand(0) ?? "")
    let database = try invocation.openDatabase()
    defer { database.close() }
    let found = try database.read { transaction in
      try transaction.conflicts(at: path).map { ($0, try transaction.scalar(at: $0.path)) }
    }
    if invocation.arguments.has(.json) {
      try invocation.console.print(json: ConflictText.json(found))
    } else {
      for (conflict, shown) in found {
        try invocation.console.print(ConflictText.block(conflict, shown: shown, invocation.console))
      }
      if found.isEmpty { invocation.console.report("There are no conflicts.") }
    }
  }
}

/// Conflicts in words, and as JSON.
private enum ConflictText {
  static func block(_ conflict: Conflict, shown: Scalar?, _ console: Console) -> String {
    let path = "/" + TerminalText.line(conflict.path.description)
    let lines = conflict.entries.map { "    " + line($0) }.joined(separator: "\n")
    return "\(console.bold(path)) shows \(shown.map(text) ?? "an object")\n\(lines)"
  }

  private static func line(_ entry: Conflict.Entry) -> String {
    switch entry {
    case .version(let value, _, _, let wallTime, let device): "\(text(value))  \(writer(device, wallTime))"
    case .sum(let sum): "\(text(sum))  the sum of increments and votes, hidden by a value that is no number"
    case .priority(let value, _, _, let wallTime, let device):
      "priority \(value.map(text) ?? "null")  \(writer(device, wallTime))"
    }
  }

  private static func writer(_ device: String, _ wallTime: Int64) -> String {
    "by \(TerminalText.line(device)), \(LocalTime.text(milliseconds: wallTime))"
  }

  private static func text(_ value: Scalar) -> String { TerminalText.json(Value(value).json()) }

  static func json(_ conflicts: [(Conflict, shown: Scalar?)]) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for (conflict, shown) in conflicts {
      writer.beginObject()
      writer.key("path")
      writer.string(conflict.path.description)
      writer.key("shown")
      if let shown { writer.scalar(shown) } else { writer.null() }
      writer.key("entries")
      writer.beginArray()
      for entry in conflict.entries { write(entry, to: &writer) }
      writer.endArray()
      writer.endObject()
    }
    writer.endArray()
    return String(decoding: writer.take(), as: UTF8.self)
  }

  private static func write(_ entry: Conflict.Entry, to writer: inout JSONWriter) {
    writer.beginObject()
    switch entry {
    case .sum(let sum):
      writer.key("sum")
      writer.scalar(sum)
    case .version(let value, let log, let seq, let wallTime, let device):
      writer.key("value")
      writer.scalar(value)
      write(log, seq, wallTime, device, to: &writer)
    case .priority(let value, let log, let seq, let wallTime, let device):
      writer.key("priority")
      if let value { writer.scalar(value) } else { writer.null() }
      write(log, seq, wallTime, device, to: &writer)
    }
    writer.endObject()
  }

  private static func write(
    _ log: LogID, _ seq: UInt64, _ wallTime: Int64, _ device: String, to writer: inout JSONWriter
  ) {
    writer.key("device")
    writer.string(device)
    writer.key("time")
    writer.int(wallTime)
    writer.key("log")
    writer.string(log.description)
    writer.key("seq")
    writer.int(Int64(clamping: seq))
  }
}
