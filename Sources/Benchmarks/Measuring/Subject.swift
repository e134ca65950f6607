internal import OfflineTree

/// A database that is measured, and its rival if there is to be one.
final class Subject {
  let database: Database
  private let rival: Rival?

  /// Opens the home, and copies what it holds for the rival.
  init(_ home: String, _ durability: Durability, _ stage: Stage) throws {
    database = try Database.open(at: home, options: Database.Options(durability: durability.ours))
    rival =
      stage.settings.isAlone
      ? nil : try Rival(home, durability: durability.raw, folder: stage.newPath())
  }

  /// Lets the database do something, and then its rival store the same rows in `commits` transactions.
  func step(commits: Int = 1, _ work: (Database) throws -> Void) throws -> Times {
    let time = try ContinuousClock().measure { try work(database) }
    return Times(ours: time, raw: try rival?.follow(commits: commits) ?? time)
  }

  /// The same for work that waits.
  func step(commits: Int, _ work: (Database) async throws -> Void) async throws -> Times {
    let time = try await ContinuousClock().measure { try await work(database) }
    return Times(ours: time, raw: try rival?.follow(commits: commits) ?? time)
  }

  /// Ends the database; throws if the rival does not hold the same bytes.
  func finish() throws {
    try rival?.requireEqual()
    database.close()
  }
}

/// What a commit waits for, the same on both sides.
enum Durability: String {
  case full = "on disk"
  case none = "no sync"

  var ours: Database.Options.Durability { self == .full ? .full : .unsafeNoSync }
  var raw: StoreOptions.Durability { self == .full ? .full : .unsafeNoSync }
}
