/// A space's rules: who may read and write what. docs/rules.md is the reference.
///
/// Judging is a pure function of the change, the actor and the document: without state, clock or disk, the same on
/// every device for ever. Replicas that judged differently would show different trees.
package struct Rules: Sendable {
  /// As somebody wrote it: JSON with comments.
  package let text: [UInt8]
  let program: RuleProgram

  /// Compiles a rules document.
  /// - Throws: `invalidArgument` with line and column for what is no rules document, `limitExceeded` beyond
  ///   `Limits.rulesBytes`.
  package init(_ text: [UInt8]) throws(TreeError) {
    self.text = text
    program = try RulesCompiler.compile(text)
  }

  /// What a person should know before setting the rules.
  package var warnings: [RuleWarning] { program.warnings }

  /// Why the change is not allowed, or nil. It is allowed or void as a whole.
  /// - Complexity: O(operations), times what the rules on their ways cost; `Limits.ruleSteps` bounds it.
  package func refusal(of change: Change, by actor: Actor?, _ declarations: Declarations) -> RuleRefusal? {
    if change.operations.isEmpty { return nil }
    var judge = RuleJudge(program, change.operations, actor, now: change.wallTime)
    return judge.refusal(declarations)
  }

  /// May the actor read at `path`? One `.read` of the path or above it that is true allows it.
  package func allowsReading(_ path: PathKey, by actor: Actor?, now: Int64) -> Bool {
    var judge = RuleJudge(program, [], actor, now: now)
    judge.descend(to: path, put: nil)
    return judge.allows(.read, at: 0)
  }

  /// Every location with what `.indexOn` names there: ("/users/$user", "name").
  package var indexes: [(location: String, child: String)] {
    zip(program.locations, program.indexes).flatMap { location, children in children.map { (location, $0) } }
  }

  /// The children that `.indexOn` names at `path`, ".value" among them.
  package func indexes(at path: PathKey) -> [String] {
    var judge = RuleJudge(program, [], nil, now: 0)
    judge.descend(to: path, put: nil)
    return judge.node >= 0 ? program.indexes[judge.node] : []
  }
}
