internal import OfflineTree

/// Writes of one joke each, on the disk when they return: what a commit costs.
extension Stage {
  /// One caller.
  func single() throws -> Measurement {
    let count = settings.isQuick ? 25 : 50
    let subject = try Subject(newHome(), .full, self)
    let samples = try samples {
      var times = Times()
      for joke in jokes(count) { times += try subject.step { try post([joke], in: $0) } }
      return times
    }
    try subject.finish()
    return Measurement(
      name: "single", unit: "writes", durability: Durability.full.rawValue, operations: count, samples: samples)
  }

  /// Many callers at once. The rival is one thread that stores the rows of as many writes in each commit.
  func group() async throws -> Measurement {
    let (callers, rounds) = (64, 16)
    let subject = try Subject(newHome(), .full, self)
    var samples: [Times] = []
    for _ in 0...settings.samples {
      let jokes = (0..<callers).map { _ in self.jokes(rounds) }
      samples.append(
        try await subject.step(commits: rounds) { database in
          try await Stage.postConcurrently(jokes, at: workload.jokes, in: database)
        })
    }
    try subject.finish()
    return Measurement(
      name: "group", unit: "writes", durability: Durability.full.rawValue, operations: callers * rounds,
      samples: Array(samples.dropFirst()))
  }

  private static func postConcurrently(_ jokes: [[NewValue]], at path: Path, in database: Database) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for own in jokes {
        group.addTask {
          for joke in own { try await database.write { transaction in _ = try transaction.push(joke, to: path) } }
        }
      }
      try await group.waitForAll()
    }
  }
}
