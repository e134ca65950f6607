/// Makes a failing history smaller, as long as it breaks the same law.
package struct Shrinker {
  private let stable: Stable
  private let law: String
  /// Histories that were run.
  package private(set) var runs = 0
  private let limit: Int

  package init(_ violation: Violation, in stable: Stable, limit: Int = 2_000) {
    (law, self.stable, self.limit) = (violation.law, stable, limit)
  }

  package mutating func shrink(_ story: Story) -> Story {
    var best = story
    var before = ""
    while before != best.description, runs < limit {
      before = best.description
      dropSteps(&best)
      dropDevices(&best)
      simplify(&best)
    }
    return best
  }

  private mutating func fails(_ story: Story) -> Bool {
    guard runs < limit else { return false }
    runs += 1
    return Simulator.violation(of: story, in: stable)?.law == law
  }

  /// Halves, then smaller pieces, down to single steps.
  private mutating func dropSteps(_ story: inout Story) {
    var size = max(1, story.steps.count / 2)
    while true {
      var start = 0
      while start < story.steps.count {
        var less = story
        less.steps.removeSubrange(start..<min(start + size, story.steps.count))
        if fails(less) { story = less } else { start += size }
      }
      if size == 1 { return }
      size /= 2
    }
  }

  private mutating func dropDevices(_ story: inout Story) {
    // Only from the end: a device's keys are those of its place.
    while let last = story.devices.last, story.devices.count > 1 {
      var less = story
      less.devices.removeLast()
      less.steps.removeAll { $0.actor == last || $0.words.contains(last) }
      guard fails(less) else { break }
      story = less
    }
    for keyPath in [\Story.liars, \.relaxed, \.watched] {
      var less = story
      less[keyPath: keyPath] = []
      if less != story, fails(less) { story = less }
    }
  }

  /// Steps without what makes them special: faults, lost bytes.
  private mutating func simplify(_ story: inout Story) {
    for index in story.steps.indices {
      let step = story.steps[index]
      let kept: Int
      switch step.verb {
      case .exchanges: kept = 0
      case .gets, .hears, .meets: kept = 1
      default: continue
      }
      guard step.words.count > kept else { continue }
      var less = story
      less.steps[index] = Step(step.actor, step.verb, Array(step.words.prefix(kept)))
      if fails(less) { story = less }
    }
  }
}
