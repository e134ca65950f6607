/// What a look at every row of a home has found.
public struct VerifyReport: Sendable, Equatable {
  /// Rows whose checksums were compared.
  public internal(set) var rows = 0
  /// Changes whose chain was recomputed.
  public internal(set) var changes = 0
  /// Changes whose bytes are dropped.
  public internal(set) var droppedChanges = 0
  /// Registers whose totals were recomputed from their parts and votes.
  public internal(set) var registers = 0
  /// What is wrong, in sentences; empty when everything is as it must be.
  public internal(set) var problems: [String] = []

  public var isSound: Bool { problems.isEmpty }

  /// Remembers a problem, up to a number that a person still reads.
  mutating func note(_ problem: String) {
    if problems.count < 1_000 { problems.append(problem) }
  }
}
