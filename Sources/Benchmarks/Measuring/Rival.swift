internal import OfflineTree

/// A raw environment beside a database, given the same rows.
///
/// It begins as a copy of the database's file. After each step of the database the rows that differ are looked up,
/// unmeasured, and stored raw, measured: at the end both hold the same bytes.
final class Rival {
  private let watched: RawEnvironment
  private let raw: RawEnvironment

  /// - Parameter home: The folder of an open database that nobody writes meanwhile.
  init(_ home: String, durability: StoreOptions.Durability, folder: String) throws {
    try TemporaryFolder.make(folder)
    try TemporaryFolder.copy("\(home)/data/data.mdb", to: "\(folder)/data.mdb")
    watched = try RawEnvironment("\(home)/data", .watching)
    raw = try RawEnvironment(folder, .writing(durability))
  }

  /// Stores raw what the database has stored since the last time.
  ///
  /// - Parameter commits: Over how many transactions the rows are shared out.
  func follow(commits: Int) throws -> Duration {
    let chunks = try RowChunk(from: raw, to: watched).split(into: commits)
    return try ContinuousClock().measure { try raw.apply(chunks) }
  }

  /// Throws if the two do not hold the same rows.
  func requireEqual() throws {
    if try !RowChunk(from: raw, to: watched).isEmpty { throw Difference() }
  }

  struct Difference: Error, CustomStringConvertible {
    var description: String { "the raw environment does not hold the rows of the database" }
  }
}
