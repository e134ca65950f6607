package import OfflineTree

/// Runs histories, and says what came of them.
package enum Simulator {
  /// What happened in histories, which says whether they are worth anything.
  package struct Tally: Sendable {
    package var answers = 0
    package var droppedChanges = 0
    package var forks = 0
    package var voids = 0

    package static func += (left: inout Tally, right: Tally) {
      left.answers += right.answers
      left.droppedChanges += right.droppedChanges
      left.forks += right.forks
      left.voids += right.voids
    }
  }

  /// Of all histories of this process.
  package static let tally = Monitor(Tally())

  /// The law that the history breaks; nil if it breaks none.
  package static func violation(of story: Story, in stable: Stable) -> Violation? {
    do {
      let world = try World(story, in: stable)
      try world.run()
      let happened = try world.tally()
      tally.withLock { $0 += happened }
      return nil
    } catch let violation as Violation {
      return violation
    } catch {
      return Violation(law: "a history can begin", details: "\(error)")
    }
  }

  /// Runs the history of a seed; if it breaks a law, says how, with a history that is as small as could be made of it.
  package static func failure(_ seed: UInt64, _ mix: Mix? = nil, in stable: Stable) -> String? {
    let story = StoryMaker.story(seed, mix)
    guard let violation = violation(of: story, in: stable) else { return nil }
    var shrinker = Shrinker(violation, in: stable)
    let small = shrinker.shrink(story)
    let last = Self.violation(of: small, in: stable) ?? violation
    return """
      seed \(seed), \(mix ?? Mix.of(seed)): \(last)
      \(story.steps.count) steps, after \(shrinker.runs) runs \(small.steps.count):
      \(small)
      """
  }
}
