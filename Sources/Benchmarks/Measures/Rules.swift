internal import OfflineTree

#if canImport(Glibc)
  internal import Glibc
#else
  internal import Darwin
#endif

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
      let readers = try sides.map { try $0.newReader(self) }
      defer { for reader in readers { reader.close() } }
      var times = Times()
      // Processor time, and each first as often as the other: what else the machine does and what the disk is slow at
      // tells nothing of rules.
      for turn in 0..<2 * sides[0].runs.count {
        let (batch, side) = (turn / 2, (turn + turn / 2) % 2)
        let start = processorTime()
        try sides[side].receive(batch, readers[side])
        let time = processorTime() - start
        if side == 0 { times.ours += time } else { times.raw += time }
      }
      for (side, reader) in zip(sides, readers) { try side.expectEverything(in: reader) }
      return times
    }
    try removeCopies()
    return Measurement(
      name: "rules", unit: "changes", durability: Durability.full.rawValue, operations: changes, samples: samples)
  }
}

/// What this process has used of the processors.
private func processorTime() -> Duration {
  var time = timespec()
  guard unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return .zero }
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
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

  func newReader(_ stage: Stage) throws -> Database {
    try Database.join(at: stage.newPath(), invite: invite, deviceName: "reader")
  }

  func receive(_ batch: Int, _ reader: Database) throws {
    if batch < runs.count { _ = try reader.receive(runs[batch], keepBlocked: false) }
  }

  /// Has everything been applied, and does everything count?
  func expectEverything(in reader: Database) throws {
    let status = try reader.read { try $0.status(limit: 1) }
    let applied = status.logs.filter { !$0.isOwn }.reduce(0) { $0 + Int($1.count) }
    guard applied == changes, status.voidCount == 0 else {
      throw Stage.Incomplete(applied: applied - status.voidCount, changes: changes)
    }
  }
}
