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
    let what =
      switch entry.content {
      case .version(let value): text(value)
      case .sum(let sum): "\(text(sum))  the hidden sum of increments and votes"
      case .priority(let value): "priority \(value.map(text) ?? "null")"
      }
    let device = entry.deviceName.map { "  by \(TerminalText.line($0))" } ?? ""
    return what + device + (entry.milliseconds.map { ", \(LocalTime.text(milliseconds: Int64(clamping: $0)))" } ?? "")
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
    switch entry.content {
    case .sum(let sum):
      writer.key("sum")
      writer.scalar(sum)
    case .version(let value):
      writer.key("value")
      writer.scalar(value)
    case .priority(let value):
      writer.key("priority")
      if let value { writer.scalar(value) } else { writer.null() }
    }
    if let device = entry.deviceName, let log = entry.log, let time = entry.milliseconds {
      writer.key("device")
      writer.string(device)
      writer.key("log")
      writer.string(log.description)
      writer.key("time")
      writer.int(Int64(clamping: time))
    }
    writer.endObject()
  }
}
