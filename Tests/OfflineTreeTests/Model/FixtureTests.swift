import OfflineTree
import TestSupport
import Testing

/// The scenarios in `fixtures/`, through the model and through real databases.
@Suite struct FixtureTests {
  @Test func `there are fixtures`() {
    #expect(Fixtures.scenarioNames.count >= 40)
  }

  @Test(arguments: Fixtures.scenarioNames)
  func `the model shows what the fixture says`(name: String) throws {
    let scenario = try Fixtures.scenario(name)
    let expected = try #require(scenario.expect)
    let outcome = try scenario.outcomeByModel()
    #expect(outcome == expected, "\(scenario.name)")
  }

  @Test(arguments: Fixtures.scenarioNames)
  func `databases show what the fixture says`(name: String) throws {
    let scenario = try Fixtures.scenario(name)
    let expected = try #require(scenario.expect)
    for seed in Seeds.scaled(2) {
      let run = try DatabaseScenario(scenario, seed: seed)
      let outcome = try run.outcome()
      #expect(outcome == expected, "\(scenario.name), seed \(seed)")
    }
  }
}
