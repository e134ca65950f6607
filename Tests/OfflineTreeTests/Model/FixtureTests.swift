import OfflineTree
import TestSupport
import Testing

/// The scenarios in `fixtures/`, through the model.
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
}
