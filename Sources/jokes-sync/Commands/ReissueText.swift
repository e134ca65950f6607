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
    case .failed(let error): "not done, nor what comes after it: " + TerminalText.line(error.description)
    }
  }

  static func line(_ step: ReissuableChange.Step) -> String {
    let outcome =
      switch step.outcome {
      case .again: "again"
      case .againAt(let path): "again, under another key: \(self.path(path))"
      case .stands: "stands already"
      case .superseded: "not any more: what was written there later was dealt with"
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
    case .file(let name, let isRemoved): "\(isRemoved ? "remove" : "store") the file \(TerminalText.line(name))"
    case .act: "an invite, a role, a name, an account or a decision about one"
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
      member("outcome", code(result.outcome), to: &writer)
      member("text", sentence(result.outcome), to: &writer)
      write(result.steps, to: &writer)
    }
  }

  private static func write(_ steps: [ReissuableChange.Step], to writer: inout JSONWriter) {
    writer.key("steps")
    writer.beginArray()
    for step in steps {
      writer.beginObject()
      member("path", step.path.description, to: &writer)
      member("action", code(step.action), to: &writer)
      member("outcome", code(step.outcome), to: &writer)
      member("text", line(step), to: &writer)
      writer.endObject()
    }
    writer.endArray()
  }

  private static func code(_ outcome: ReissueResult.Outcome) -> String {
    switch outcome {
    case .reissued: "reissued"
    case .nothingToDo: "nothingToDo"
    case .wouldReplace: "wouldReplace"
    case .somebodyElses: "somebodyElses"
    case .refused: "refused"
    case .doneBefore: "doneBefore"
    case .failed: "failed"
    }
  }

  private static func code(_ outcome: ReissuableChange.Step.Outcome) -> String {
    switch outcome {
    case .again: "again"
    case .againAt: "againAtOtherKey"
    case .stands: "stands"
    case .superseded: "superseded"
    case .replaces: "replaces"
    case .byHand: "byHand"
    }
  }

  private static func code(_ action: ReissuableChange.Step.Action) -> String {
    switch action {
    case .set(.null): "remove"
    case .set: "set"
    case .add: "add"
    case .vote: "vote"
    case .priority: "priority"
    case .increment: "increment"
    case .file(_, let isRemoved): isRemoved ? "remove file" : "store file"
    case .act: "act"
    }
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
