internal import OfflineTree

/// Changes that can be done again, and what became of them, in words and as JSON.
enum ReissueText {
  /// Of a value, so many characters are shown.
  private static let valueLength = 100

  static func block(_ change: ReissuableChange, _ console: Console) -> String {
    let head =
      "\(console.bold(change.id.description))  \(LocalTime.text(milliseconds: change.wallTime))  "
      + TerminalText.line(change.reason)
    if change.isSomebodyElses, let author = change.author {
      return "\(head)\n    made by the user \(TerminalText.line(author.text)): log in as them to have it done again"
    }
    return ([head] + change.steps.map { "    " + line($0) }).joined(separator: "\n")
  }

  static func block(_ result: ReissueResult, _ console: Console) -> String {
    ([console.bold(result.id.description) + "  " + sentence(result.outcome)] + result.steps.map { "    " + line($0) })
      .joined(separator: "\n")
  }

  private static func sentence(_ outcome: ReissueResult.Outcome) -> String {
    switch outcome {
    case .reissued(let id): "done again, as \(id)"
    case .nothingToDo: "nothing was left to do again"
    case .doneBefore: "was dealt with before"
    case .somebodyElses: "left: somebody else made it, who is not logged in"
    case .wouldReplace: "left: it would take away what is there now; --force does it all the same"
    case .refused(let error): "left: " + TerminalText.line(error.description)
    }
  }

  static func line(_ step: ReissuableChange.Step) -> String {
    let outcome =
      switch step.outcome {
      case .again: "again"
      case .againAt(let path): "again, under another key: \(self.path(path))"
      case .stands: "stands already"
      case .replaces(let now): "only with --force: there is \(text(now)) now, which it had not seen"
      case .byHand(let how): "by hand: \(TerminalText.line(how))"
      }
    return "\(action(step)): \(outcome)"
  }

  private static func action(_ step: ReissuableChange.Step) -> String {
    let path = path(step.path)
    return switch step.action {
    case .set(.null): "remove \(path)"
    case .set(let value): "set \(path) to \(text(value))"
    case .add(let value): "add \(path), \(text(value))"
    case .vote(let voter, let choice): "vote \(choice) at \(path) as \(TerminalText.line(voter.text))"
    case .priority(let value): "set the priority of \(path) to \(value.map { text(Value($0)) } ?? "null")"
    case .increment(let number): "increment \(path) by \(text(Value(number)))"
    case .act: "an act of membership, of an account or of moderation"
    }
  }

  private static func path(_ path: Path) -> String { "/" + TerminalText.line(path.description) }

  private static func text(_ value: Value) -> String {
    if value.isNull { return "nothing" }
    let json = value.json()
    return TerminalText.json(json.count > valueLength ? json.prefix(valueLength) + "…" : json)
  }

  // MARK: JSON

  static func json(_ changes: [ReissuableChange]) -> String {
    array(changes) { change, writer in
      member("change", change.id.description, to: &writer)
      writer.key("time")
      writer.int(change.wallTime)
      member("author", change.author?.text, to: &writer)
      member("reason", change.reason, to: &writer)
      writer.key("reissuable")
      writer.bool(change.isReissuable)
      write(change.steps, to: &writer)
    }
  }

  static func json(_ results: [ReissueResult]) -> String {
    array(results) { result, writer in
      member("change", result.id.description, to: &writer)
      var reissue: String?
      if case .reissued(let id) = result.outcome { reissue = id.description }
      member("reissued", reissue, to: &writer)
      member("outcome", sentence(result.outcome), to: &writer)
      write(result.steps, to: &writer)
    }
  }

  private static func write(_ steps: [ReissuableChange.Step], to writer: inout JSONWriter) {
    writer.key("steps")
    writer.beginArray()
    for step in steps {
      writer.beginObject()
      member("path", step.path.description, to: &writer)
      member("step", line(step), to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func member(_ name: String, _ text: String?, to writer: inout JSONWriter) {
    writer.key(name)
    if let text { writer.string(text) } else { writer.null() }
  }

  private static func array<Item>(_ items: [Item], _ write: (Item, inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    writer.beginArray()
    for item in items {
      writer.beginObject()
      write(item, &writer)
      writer.endObject()
    }
    writer.endArray()
    return String(decoding: writer.take(), as: UTF8.self)
  }
}
