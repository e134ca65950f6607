internal import OfflineTree

extension Command {
  static let scenario = Command(
    name: "scenario", usage: "FILE… | --lines", summary: "run scenarios of devices that part and meet, and compare",
    details: """
      Temporary devices write, exchange and are re-opened as the document says; printed is what each shows in the end. A
      mismatch with "expect" is named, and the exit status is 1. --lines reads a document a line from standard input and
      prints an outcome a line. A document:
        {"name": "n", "devices": ["a", "b"], "addOnly": ["jokes"], "flags": {"jokes/*/votes": "users/$voter/votes/*"},
         "steps": [{"device": "a", "at": 1000, "write": [{"set": "x", "value": 1}, {"increment": "n", "by": 2}]},
                   {"from": "a", "to": "b"}], "expect": {"a": {"tree": {}, "conflicts": {}, "clock": {"a": 1}}}}
      Other operations: {"remove": path}, {"vote": path, "voter": v, "choice": -1, 0 or 1}; "refused": true in a step.
      {"device": "a", "at": 1000, "end": "b"}, a the first device, ends b: what a has not seen of b is void.
      """,
    options: [
      Option(name: "--lines", summary: "documents from standard input, one a line"),
      Option(
        name: "--seed", value: "N", summary: "where storage is re-opened and changes are cut (drawn, and printed)"),
    ],
    operands: 0...100_000, example: "jokes-sync scenario fixtures/scenarios/*.json"
  ) { invocation in
    let seed = try seed(invocation.arguments.value(of: "--seed"))
    let isLines = invocation.arguments.has("--lines")
    if isLines != invocation.arguments.operands.isEmpty { throw invocation.usage("give files, or --lines and none") }
    let documents = isLines ? LineSource.standardInput() : LineSource.files(invocation.arguments.operands)
    invocation.console.report("seed \(seed)")
    var (total, mismatches) = (0, 0)
    for try await result in OrderedResults.of(documents, { try await run($1, seed: seed &+ UInt64($0)) }) {
      total += 1
      try invocation.console.print(isLines ? result.outcome.line : result.outcome.indented())
      for problem in result.problems { invocation.console.report("mismatch: \(problem)") }
      if !result.problems.isEmpty { mismatches += 1 }
    }
    try invocation.console.flush()
    if mismatches > 0 { throw ScenarioMismatch(count: mismatches, total: total) }
  }

  private static func seed(_ text: String?) throws(TreeError) -> UInt64 {
    guard let text else { return UInt64.random(in: 0...UInt64(UInt32.max)) }
    guard let seed = UInt64(text) else { throw TreeError(.invalidArgument, "--seed \(text) is no number") }
    return seed
  }

  @concurrent
  private static func run(_ bytes: [UInt8], seed: UInt64) async throws -> (outcome: Document, problems: [String]) {
    let scenario = try Scenario(try Document(json: bytes))
    var runner = try ScenarioRunner(scenario, seed: seed)
    var (outcome, problems) = try await runner.run()
    for expected in scenario.expected?.members ?? [] {
      for part in expected.value.members {
        let found = outcome[expected.name]?[part.name]?.line ?? "nothing"
        if found != part.value.line {
          problems.append("device \(expected.name): \(part.name) is \(found), and must be \(part.value.line)")
        }
      }
    }
    return (outcome, problems.map { "\(scenario.name) (seed \(seed)): \($0)" })
  }
}
