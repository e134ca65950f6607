internal import OfflineTree

extension Command {
  private static let force = Option(name: "--force", summary: "set them whatever the warnings say")
  private static let actor = Option(
    name: "--as", value: "USER", summary: "who would write: a uid, its beginning, or an email")
  private static let nobody = Option(name: "--nobody", summary: "nobody is logged in, on a device that is no owner's")
  private static let asPush = Option(
    name: "--push", summary: "add the value below PATH under a new key, as \"post\" does")
  private static let file = Option(
    name: "--rules", value: "FILE", summary: "rules to try, instead of those of the space")

  static let rules = Command(
    name: "rules", usage: "get | set FILE|- | test PATH JSON|- [--as USER|--nobody] [--push] [--rules FILE|-]",
    summary: "who may write what: print the rules, set them as an owner, or try a write",
    details: """
      Rules are written as in Firebase (docs/rules.md). They judge what is written by those who have heard of them, on every
      device alike. "set" shows warnings, and does not set rules that have some unless --force is given. "test" stores nothing: it
      says "allowed", or which rule refuses the write and where it stands. Without --as it tries as who is logged in.
      """,
    options: [force, actor, nobody, asPush, file], operands: 1...3,
    example: """
      jokes-sync rules get > jokes.rules
      jokes-sync rules test --as alice@example.org users/bob/username '"mallory"' --rules jokes.rules
      jokes-sync rules set jokes.rules
      """
  ) { invocation in
    let words = invocation.arguments.operands
    switch (words[0], words.count) {
    case ("get", 1): try get(invocation)
    case ("set", 2): try set(words[1], invocation)
    case ("test", 3): try test(words[1], invocation)
    default: throw invocation.usage("\"rules \(words.joined(separator: " "))\" is not understood")
    }
  }

  private static func get(_ invocation: Invocation) throws {
    let database = try invocation.openDatabase()
    defer { database.close() }
    guard let text = try database.rules() else {
      return invocation.console.report("The space has no rules: every member may write everything.")
    }
    let shown = invocation.console.isTerminal ? TerminalText.block(text) : text
    try invocation.console.write(Array(shown.utf8))
    if invocation.console.isTerminal, shown.utf8.last != UInt8(ascii: "\n") { try invocation.console.print("") }
  }

  private static func set(_ name: String, _ invocation: Invocation) throws {
    // Who means to have no rules says so like this; it is no file to read.
    let text = name.utf8.elementsEqual("/dev/null".utf8) ? "" : try rulesText(name)
    if !text.utf8.contains(UInt8(ascii: "{")) {
      throw TreeError(
        .invalidArgument, "there are no rules in \(name), and nothing was changed",
        advice: #"To let everybody write everything, set {"rules": {".read": true, ".write": true}}."#)
    }
    let warnings = try Database.ruleWarnings(of: text)
    for warning in warnings { invocation.console.report("warning: \(warning)") }
    if !warnings.isEmpty, !invocation.arguments.has(force) {
      throw TreeError(
        .refused,
        "the rules have \(warnings.count == 1 ? "a warning" : "\(warnings.count) warnings"), and were not set",
        advice: "Correct them, or pass \(force.name).")
    }
    let database = try invocation.openDatabase()
    defer { database.close() }
    try database.setRules(text)
    try invocation.console.print("The rules are set. Others learn of them when they sync.")
  }

  private static func test(_ place: String, _ invocation: Invocation) throws {
    let arguments = invocation.arguments
    let target = try RawPath(place)
    let value = try invocation.json(2) { bytes throws(TreeError) in try NewValue(json: bytes) }
    let text = try arguments.value(of: file.name).map(rulesText)
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try testedUser(invocation, database)
    let isPush = arguments.has(asPush)
    let refusal = try database.ruleRefusal(as: user, rules: text) { transaction in
      if isPush { _ = try transaction.push(value, to: target.path) } else { try transaction.set(value, at: target) }
    }
    guard let refusal else { return try invocation.console.print("allowed") }
    throw TreeError(
      .refused, "not allowed: \(refusal)",
      advice: text == nil ? "\"\(Program.name) rules get\" prints the rules." : "Nothing was written.")
  }

  private static func testedUser(_ invocation: Invocation, _ database: Database) throws -> Key? {
    let arguments = invocation.arguments
    let name = arguments.value(of: actor.name)
    if name != nil, arguments.has(nobody) {
      throw invocation.usage("\(actor.name) and \(nobody.name) exclude each other")
    }
    if arguments.has(nobody) { return nil }
    let auth = Auth(database)
    guard let name else {
      guard let user = try auth.currentUser else {
        throw invocation.usage("nobody is logged in: \(actor.name) USER or \(nobody.name) says who would write")
      }
      return user.uid
    }
    return try UserName.resolve(name, in: try auth.users())[0].user.uid
  }

  private static func rulesText(_ name: String) throws(TreeError) -> String {
    let bytes =
      name == "-"
      ? try StandardInput.readAll(limit: Limits.rulesBytes)
      : try FileSystem.readFile(absolutePath(name), maximumBytes: Limits.rulesBytes)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw TreeError(.invalidArgument, "the rules in \(name) are not valid UTF-8", advice: "Convert them with iconv.")
    }
    return text
  }
}
