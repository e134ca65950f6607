internal import OfflineTree

/// What a signed-in person writes on another device comes in: half as many jokes as there are, and three votes for each,
/// every one a change of its own, in a space with the rules of the jokes space.
///
/// The other side of the ratio is the same in a space without rules. On both the author's log-in is looked up.
extension Stage {
  func rules() async throws -> Measurement {
    let text = try FileSystem.readFile("fixtures/rules/jokes.rules", maximumBytes: Limits.rulesBytes)
    let sides = [
      try await JudgedSpace(self, rules: String(decoding: text, as: UTF8.self)), try await JudgedSpace(self, rules: ""),
    ]
    let changes = sides[0].changes
    let samples = try samples {
      Times(ours: try sides[0].receive(self), raw: try sides[1].receive(self))
    }
    try removeCopies()
    return Measurement(
      name: "rules", unit: "changes", durability: Durability.full.rawValue, operations: changes, samples: samples)
  }
}

/// A space in which a person has written, and the way of those changes to a device that has none of them.
private struct JudgedSpace {
  let invite: Invite
  let runs: [[ChangeRun]]

  var changes: Int { runs.reduce(0) { $0 + $1.reduce(0) { $0 + $1.bodies.count } } }

  init(_ stage: Stage, rules: String) async throws {
    let options = Database.Options(durability: .unsafeNoSync)
    let database = try Database.create(
      at: stage.newPath(), space: "rules", addOnlySets: stage.workload.addOnlySets, flags: stage.workload.flags,
      rules: rules, recovery: RecoveryCode(), deviceName: "writer", options: options)
    defer { database.close() }
    invite = try database.invite()
    var typed = Array("four words at random".utf8)
    let user = try await Auth(database, profile: .smallest).createUser(
      withEmail: "writer@example.org", password: try Password(&typed), username: "writer"
    ).user
    try await JudgedSpace.write(stage, as: user, in: database)
    let (empty, path) = (invite, stage.newPath())
    let reader = try Database.join(at: path, invite: empty, deviceName: "reader", options: options)
    defer { reader.close() }
    runs = try Stage.batches(from: database, to: reader)
  }

  private static func write(_ stage: Stage, as user: User, in database: Database) async throws {
    let jokes = stage.jokes(stage.settings.jokes / 2, by: user.username)
    let workload = stage.workload
    try await withThrowingTaskGroup(of: Void.self) { group in
      let writers = 128
      for writer in 0..<writers {
        group.addTask {
          for index in stride(from: writer, to: jokes.count, by: writers) {
            let key = try await database.write(as: user.uid) { try $0.push(jokes[index], to: workload.jokes) }
            let counter = try workload.counter(of: key)
            for choice in [1, 0, 1] {
              try await database.write(as: user.uid) { try $0.vote(counter, voter: user.uid, choice: choice) }
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// How long a new device takes to apply everything.
  func receive(_ stage: Stage) throws -> Duration {
    let home = stage.newPath()
    let reader = try Database.join(at: home, invite: invite, deviceName: "reader")
    defer { reader.close() }
    var applied = 0
    let time = try ContinuousClock().measure {
      for batch in runs { applied += try reader.receive(batch, keepBlocked: false).applied }
    }
    guard applied == changes else { throw Stage.Incomplete(applied: applied, changes: changes) }
    let voids = try reader.read { try $0.status(limit: 1).voidCount }
    guard voids == 0 else { throw Stage.Incomplete(applied: applied - voids, changes: changes) }
    return time
  }
}
