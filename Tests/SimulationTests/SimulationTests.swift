import Simulation
import TestSupport
import Testing

/// Whole devices under every disturbance that the simulator knows. docs/simulation.md says what that is.
@Suite struct SimulationTests {
  /// A few at once; each has homes of its own, which many histories use.
  @Test(arguments: 0..<4 as Range<UInt64>) func `simulated histories break no law`(part: UInt64) throws {
    let stable = try Stable()
    for seed in Seeds.scaled(200) where seed % 4 == part {
      if let failure = Simulator.failure(seed, in: stable) { Issue.record("\(failure)") }
    }
  }

  @Test func `histories that broke a law once break none`() throws {
    let stable = try Stable()
    let names = Fixtures.names(in: "simulations", suffix: ".txt")
    #expect(!names.isEmpty)
    for name in names {
      let story = try Story(text: try Fixtures.text("simulations/\(name).txt"))
      let violation = Simulator.violation(of: story, in: stable)
      #expect(violation == nil, "\(name): \(violation.map { "\($0)" } ?? "")")
    }
  }

  @Test func `the text of a history is the history`() throws {
    for seed in 0..<50 as Range<UInt64> {
      let story = StoryMaker.story(seed)
      #expect(try Story(text: story.description) == story)
    }
  }
}
