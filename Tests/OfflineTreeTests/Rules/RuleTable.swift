import OfflineTree
import TestSupport

/// A table of `fixtures/rules/`: rules, who acts, what is done, and what comes of it. `fixtures/README.md` describes it.
struct RuleTable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let rules: Rules
  let declarations: Declarations
  let cases: [JSON]
  private let actors: JSON

  init(_ name: String) throws {
    let document = try JSON(parsing: try Fixtures.text("rules/\(name).json"))
    guard let rules = document["rules"], let cases = document["cases"]?.elements else {
      throw Failure(description: "no rules or no cases in \(name)")
    }
    let text = try rules.text.map { try Fixtures.text("rules/\($0)") } ?? rules.description
    self.rules = try Rules(Array(text.utf8))
    self.cases = cases
    declarations = try Declarations(
      addOnlySets: (document["addOnly"]?.elements ?? []).map {
        Genesis.AddOnlySet(path: try Path($0.text ?? ""), keys: .open)
      }, flags: [])
    actors = document["actors"] ?? .null
  }

  /// What the rules say of a case, in the words of the table.
  func outcome(of document: JSON) throws -> String {
    let actor = try actor(document["by"]?.text)
    if let path = document["read"]?.text {
      return rules.allowsReading(PathKey(try Path(path)), by: actor, now: 0) ? "allowed" : "read"
    }
    let change = try Self.change(document["write"]?.elements ?? [], now: 0)
    guard let refusal = rules.refusal(of: change, by: actor, declarations) else { return "allowed" }
    return [refusal.kind.rawValue, refusal.path.description, refusal.location ?? ""].joined(separator: " ")
  }

  static func expectation(of document: JSON) -> String {
    guard let kind = document["refused"]?.text else { return "allowed" }
    if kind == "read" { return kind }
    return [kind, document["at"]?.text ?? "", document["rule"]?.text ?? ""].joined(separator: " ")
  }

  private func actor(_ name: String?) throws -> Actor? {
    guard let name else { return nil }
    guard let actor = try Self.actor(actors[name]) else { throw Failure(description: "there is no \(name)") }
    return actor
  }

  static func actor(_ document: JSON?) throws -> Actor? {
    guard let uid = document?["uid"]?.text, let email = document?["email"]?.text, let name = document?["name"]?.text
    else { return nil }
    var isVerified = false
    if case .scalar(.bool(true)) = document?["verified"] { isVerified = true }
    return Actor(uid: try Key(uid), email: email, name: name, isEmailVerified: isVerified)
  }

  /// A change in normal form.
  static func change(_ writes: [JSON], now: Int64) throws -> Change {
    var form = NormalForm()
    for write in writes {
      guard let (name, path) = write.members.first, let text = path.text else { throw Failure(description: "\(write)") }
      let target = try Path(text)
      switch name {
      case "set":
        for (path, value) in try leaves(write["value"] ?? .null, at: target) { form.append(.put(path, value)) }
      case "remove": form.append(.clear(PathKey(target)))
      case "increment": form.append(.increment(PathKey(target), by: .int(write["by"]?.integer ?? 0)))
      case "vote":
        let voter = try Key(write["voter"]?.text ?? "")
        form.append(.vote(PathKey(target), voter: voter, choice: Int8(write["choice"]?.integer ?? 0)))
      case "priority":
        guard case .scalar(let value)? = write["value"] else { throw Failure(description: "\(write)") }
        form.append(.priority(PathKey(target), value))
      default: throw Failure(description: "there is no \(name)")
      }
    }
    return Change(parents: [], stamp: Stamp(milliseconds: 1, counter: 0), wallTime: now, operations: form.operations)
  }

  /// The scalars of a document; `{"repeat": text, "times": n}` is a long string.
  static func leaves(_ document: JSON, at path: Path) throws -> [(PathKey, Scalar)] {
    if let text = document["repeat"]?.text, let times = document["times"]?.integer {
      return [(PathKey(path), .string(String(repeating: text, count: Int(times))))]
    }
    if case .scalar(let scalar) = document { return [(PathKey(path), scalar)] }
    return try document.members.flatMap { try leaves($0.value, at: try path.child($0.key)) }
  }
}

extension Rules {
  /// Rules of one `.write` at `/$here`.
  init(expression: String) throws(TreeError) {
    let text = "{\"rules\": {\"$here\": {\".write\": \(JSON.scalar(.string(expression)))}}}"
    try self.init(Array(text.utf8))
  }

  /// What an expression comes to at `/here`, of a change that puts `leaves`: nil for what ends in an error.
  static func value(
    of expression: String, by actor: Actor? = nil, putting leaves: JSON = .scalar(.bool(true)), now: Int64 = 0
  ) throws -> Bool? {
    let write = JSON.object([("set", .scalar(.string("here"))), ("value", leaves)])
    let change = try RuleTable.change([write], now: now)
    func isTrue(_ expression: String) throws -> Bool {
      let refusal = try Rules(expression: expression).refusal(of: change, by: actor, .none)
      guard refusal == nil || refusal?.kind == .write else { throw RuleTable.Failure(description: "\(refusal!)") }
      return refusal == nil
    }
    switch (try isTrue(expression), try isTrue("!(\(expression))")) {
    case (true, false): return true
    case (false, true): return false
    case (false, false): return nil
    case (true, true): throw RuleTable.Failure(description: "\(expression) is true, and so is its opposite")
    }
  }
}
