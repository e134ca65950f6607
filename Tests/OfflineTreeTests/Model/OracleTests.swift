import Foundation
import OfflineTree
import TestSupport
import Testing

/// The model against the oracle it was ported from, on the oracle's own random scenarios.
@Suite struct OracleTests {
  @Test(.enabled(if: Oracle.isPresent, Oracle.whenAbsent), arguments: [("plain", 120), ("counters", 60), ("wide", 6)])
  func `the model shows what the oracle shows`(mix: String, count: Int) throws {
    for line in try Oracle.scenarios(seed: 1, count: count, mix: mix) {
      let scenario = try Scenario(try JSON(parsing: line))
      let outcome = try scenario.outcomeByModel()
      let expected = try #require(scenario.expect)
      #expect(outcome == expected, "\(scenario.name)")
    }
  }
}
