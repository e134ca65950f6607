internal import OfflineTree

/// Another device's log comes in: half as many jokes as there are, and three increments for each of them, every one a
/// change of its own.
extension Stage {
  func merge() async throws -> Measurement {
    let runs = try await remoteRuns()
    let changes = runs.reduce(0) { $0 + $1.reduce(0) { $0 + $1.bodies.count } }
    let samples = try samples {
      let home = try newHome()
      let subject = try Subject(home, .full, self)
      var times = Times()
      var applied = 0
      for batch in runs {
        times += try subject.step { applied += try $0.receive(batch, keepBlocked: false).applied }
      }
      guard applied == changes else { throw Incomplete(applied: applied, changes: changes) }
      try subject.finish()
      try removeCopies()
      return times
    }
    return Measurement(
      name: "merge", unit: "changes", durability: Durability.full.rawValue, operations: changes, samples: samples)
  }

  struct Incomplete: Error, CustomStringConvertible {
    let applied: Int
    let changes: Int

    var description: String { "\(applied) of \(changes) changes were applied" }
  }

  /// What the other device has written, in the batches in which it comes.
  private func remoteRuns() async throws -> [[ChangeRun]] {
    let options = Database.Options(durability: .unsafeNoSync)
    let local = try Database.open(at: try newHome(), options: options)
    defer { local.close() }
    let remote = try Database.join(
      at: newPath(), invite: invite, deviceName: "remote", options: options)
    defer { remote.close() }
    for batch in try Stage.batches(from: local, to: remote) { _ = try remote.receive(batch, keepBlocked: false) }
    try await write(in: remote)
    return try Stage.batches(from: remote, to: local)
  }

  static func batches(from source: Database, to target: Database) throws -> [[ChangeRun]] {
    var outgoing = try source.outgoing(to: try target.clock())
    var batches: [[ChangeRun]] = []
    while true {
      let runs = try outgoing.next(maximumBytes: 8 << 20, from: source)
      if runs.isEmpty { return batches }
      batches.append(runs)
    }
  }

  func write(in remote: Database) async throws {
    let new = jokes(settings.jokes / 2)
    let counters = try popular(3 * new.count).map { try workload.counter(of: $0) }
    let path = workload.jokes
    try await withThrowingTaskGroup(of: Void.self) { group in
      let writers = 128
      for writer in 0..<writers {
        group.addTask {
          for index in stride(from: writer, to: new.count, by: writers) {
            try await remote.write { transaction in _ = try transaction.push(new[index], to: path) }
          }
          for index in stride(from: writer, to: counters.count, by: writers) {
            try await remote.write { transaction in try transaction.increment(counters[index], by: .int(1)) }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
