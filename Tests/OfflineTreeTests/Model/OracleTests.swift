import OfflineTree
import TestSupport
import Testing

/// The model and the database against the oracle, on the oracle's own random scenarios.
@Suite(.enabled(if: Oracle.isPresent, Oracle.whenAbsent)) struct OracleTests {
  @Test(arguments: [("plain", 120), ("counters", 60), ("wide", 6), ("ends", 120)])
  func `the model shows what the oracle shows`(mix: String, count: Int) throws {
    for line in try Oracle.scenarios(seed: 1, count: count, mix: mix) {
      let scenario = try Scenario(try JSON(parsing: line))
      let outcome = try scenario.outcomeByModel()
      let expected = try #require(scenario.expect)
      #expect(outcome == expected, "\(scenario.name)")
    }
  }

  @Test(arguments: [("plain", 60), ("counters", 30), ("wide", 2), ("ends", 60)])
  func `databases show what the oracle shows`(mix: String, usual: Int) throws {
    let count = Seeds.scaled(usual).count
    for (seed, line) in try Oracle.scenarios(seed: 10_000, count: count, mix: mix).enumerated() {
      let scenario = try Scenario(try JSON(parsing: line))
      let run = try DatabaseScenario(scenario, seed: UInt64(seed))
      let outcome = try run.outcome()
      let expected = try #require(scenario.expect)
      #expect(outcome == expected, "\(scenario.name)")
    }
  }
}
