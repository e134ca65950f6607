internal import OfflineTree

extension Command {
  private static let all = "--all"
  private static let dryRun = "--dry-run"
  private static let force = "--force"

  static let reissue = Command(
    name: "reissue", usage: "[--dry-run] [--all | LOG:SEQ…] [--force] [--json]",
    summary: "do again what this device wrote and a log-out, a removal or the like made void",
    details: """
      Without --all and without a change's name it lists them, as --dry-run does, and does nothing. LOG:SEQ is a change's name, as the
      list says it: the log's 32 hexadecimal digits, a colon and the change's number in the log. What is done again is a new
      change of now: the space's rules judge it anew, and what stands already is not done twice, however often it is asked for.
      Votes and posts are done again as the person who made them, who must be logged in. Increments are not: a copy of this home
      could do them again, too, and both would count. Neither are invites, roles, names and accounts: their own commands do that.
      Such a change stays on the list with what is left to be done by hand; naming it then says that it is dealt with. What
      would take away something that came later is left unless you say --force: the list says what is there now.
      """,
    options: [
      Option(name: all, summary: "everything on the list that can be done again"),
      Option(name: dryRun, summary: "say what would be done, and do nothing"),
      Option(name: force, summary: "also what takes away what is there now"), .json,
    ],
    operands: 0...1_000,
    example: "jokes-sync reissue\njokes-sync reissue --all"
  ) { invocation in
    let (arguments, console) = (invocation.arguments, invocation.console)
    let named = try arguments.operands.map { text throws(TreeError) in try ReissuableChange.ID(text) }
    if arguments.has(all), !named.isEmpty {
      throw TreeError(
        .invalidArgument, "--all and a change's name do not go together",
        advice: "Leave one of them out.")
    }
    if arguments.has(force), !arguments.has(all), !arguments.has(dryRun), named.isEmpty {
      throw TreeError(
        .invalidArgument, "--force does nothing without a change's name or --all",
        advice: "Name the changes, as the list does, or say --all.")
    }
    let database = try invocation.openDatabase()
    defer { database.close() }
    let user = try Auth(database).currentUser?.uid
    let list = try database.reissuable(as: user).filter { named.isEmpty || isNamed($0, named) }
    guard !arguments.has(dryRun), arguments.has(all) || !named.isEmpty else {
      return try show(list, invocation)
    }
    let wanted = named.isEmpty ? list.filter(isForAll).map(\.id) : named
    let results = try database.reissue(wanted, as: user, replacesUnseen: arguments.has(force))
    if arguments.has(.json) {
      try console.print(json: ReissueText.json(results))
    } else {
      for result in results { try console.print(ReissueText.block(result, console)) }
      if results.isEmpty { console.report("There is nothing to do again.") }
    }
    try requireNothingLeft(results)
  }

  /// By its name now, or by the one that it had before its log forked.
  private static func isNamed(_ change: ReissuableChange, _ named: [ReissuableChange.ID]) -> Bool {
    named.contains { $0 == change.id || $0.log == change.position.log && $0.seq == change.position.seq }
  }

  private static func show(_ list: [ReissuableChange], _ invocation: Invocation) throws {
    let console = invocation.console
    if invocation.arguments.has(.json) { return try console.print(json: ReissueText.json(list)) }
    for change in list { try console.print(ReissueText.block(change, console)) }
    if list.isEmpty { return console.report("There is nothing to do again.") }
    if list.contains(where: \.isReissuable) {
      console.report("\"\(Program.name) reissue --all\" does again what can be done; nothing was done now.")
    }
  }

  /// What only a person can do stays on the list until they name it.
  private static func isForAll(_ change: ReissuableChange) -> Bool {
    if change.isSomebodyElses { return false }
    return change.isReissuable || change.steps.allSatisfy { $0.outcome == .stands || $0.outcome == .superseded }
  }

  private static func requireNothingLeft(_ results: [ReissueResult]) throws(TreeError) {
    if case .failed(let error)? = results.last?.outcome { throw error }
    let left = results.filter { result in
      switch result.outcome {
      case .wouldReplace, .somebodyElses, .refused: true
      case .reissued, .nothingToDo, .doneBefore, .failed: false
      }
    }
    if left.isEmpty { return }
    throw TreeError(
      .refused, "\(left.count) \(left.count == 1 ? "change was" : "changes were") left as they are",
      advice: "The list says why. They can be tried again.")
  }
}
