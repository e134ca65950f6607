internal import OfflineTree

/// A thousand operations in each write, of which one change comes: what the code costs.
extension Stage {
  /// Jokes: three leaves each.
  func insert() throws -> Measurement {
    try batches("insert", "jokes") {
      self.jokes(Stage.batch)
    } write: { jokes, transaction, workload in
      for joke in jokes { _ = try transaction.push(joke, to: workload.jokes) }
    }
  }

  /// Increments of jokes' counters.
  func increment() throws -> Measurement {
    try batches("increment", "increments") {
      try self.popular(Stage.batch).map { try self.workload.counter(of: $0) }
    } write: { counters, transaction, _ in
      for counter in counters { try transaction.increment(counter, by: .int(1)) }
    }
  }

  /// Votes with their flags, each of any of a thousand users for a joke.
  func vote() throws -> Measurement {
    try batches("vote", "votes") {
      try self.popular(Stage.batch).map { (try self.workload.counter(of: $0), self.workload.user(&self.generator)) }
    } write: { votes, transaction, _ in
      for (counter, user) in votes { try transaction.vote(counter, voter: user, choice: 1) }
    }
  }

  private func batches<Batch: Sendable>(
    _ name: String, _ unit: String, make: () throws -> Batch,
    write: @escaping @Sendable (Batch, WriteTransaction, Jokes) throws -> Void
  ) throws -> Measurement {
    let count = settings.isQuick ? 4 : 10
    let subject = try Subject(newHome(), .none, self)
    let workload = workload
    let samples = try samples {
      var times = Times()
      for _ in 0..<count {
        let batch = try make()
        times += try subject.step { database in
          try database.write { transaction in try write(batch, transaction, workload) }
        }
      }
      return times
    }
    try subject.finish()
    return Measurement(
      name: name, unit: unit, durability: Durability.none.rawValue, operations: count * Stage.batch, samples: samples)
  }
}
