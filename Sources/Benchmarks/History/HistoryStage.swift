internal import Foundation
internal import OfflineTree

/// A space of jokes whose history grows: a keeper, and devices that have everything of it.
final class HistoryStage {
  let folder: TemporaryFolder
  let changes: Int
  let jokes: Int
  let options = Database.Options(durability: .unsafeNoSync)
  private let workload: Jokes
  private var generator = SeededGenerator(seed: 1)
  /// The votes of each joke.
  private(set) var counters: [Path] = []

  init(_ arguments: [String]) throws {
    let numbers = try arguments.map { text in
      guard let number = Int(text), number > 0 else { throw Settings.Usage() }
      return number
    }
    guard numbers.count < 3 else { throw Settings.Usage() }
    changes = numbers.first ?? 1_000_000
    jokes = numbers.dropFirst().first ?? 100_000
    folder = try TemporaryFolder()
    workload = try Jokes()
  }

  /// The founder's device, with all jokes.
  func makeKeeper() async throws -> Database {
    let workload = workload
    let keeper = try Database.create(
      at: "\(folder.path)/keeper", space: "jokes", addOnlySets: workload.addOnlySets, flags: workload.flags,
      recovery: RecoveryCode(environment: .system), deviceName: "keeper", options: options)
    let made = (0..<jokes).map { _ in workload.joke(&generator) }
    for start in stride(from: 0, to: jokes, by: 1_000) {
      let part = made[start..<min(jokes, start + 1_000)]
      let keys = try await keeper.write { transaction in try part.map { try transaction.push($0, to: workload.jokes) } }
      counters += try keys.map { try workload.counter(of: $0) }
    }
    return keeper
  }

  /// A device that has joined, and has what the keeper has.
  func device(_ name: String, _ keeper: Database) throws -> Database {
    let database = try Database.join(
      at: "\(folder.path)/\(name)", invite: try keeper.invite(), deviceName: name, options: options)
    try give(keeper, to: database)
    return database
  }

  func give(_ source: Database, to database: Database) throws {
    for batch in try Stage.batches(from: source, to: database) { _ = try database.receive(batch, keepBlocked: true) }
  }

  /// As many changes, each an increment of some joke's votes.
  func increment(_ writer: Database) async throws {
    let picks = (0..<changes).map { _ in counters[Int.random(in: 0..<counters.count, using: &generator)] }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for first in 0..<128 {
        group.addTask {
          for index in stride(from: first, to: picks.count, by: 128) {
            try await writer.write { transaction in try transaction.increment(picks[index], by: .int(1)) }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Bytes of a home's data file.
  func size(of database: Database) -> Int {
    let path = "\(database.home)/data/data.mdb"
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int).flatMap { $0 } ?? 0
  }
}
