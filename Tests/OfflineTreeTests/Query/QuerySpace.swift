import TestSupport

@testable import OfflineTree

/// A space of one device, with a clock that the test owns.
final class QuerySpace {
  let folder: TemporaryFolder
  let clock: TestClock
  private(set) var database: Database
  private static let options = Database.Options(durability: .unsafeNoSync)

  init(rules: String = "", own: [String] = [], flags: [Genesis.Flag] = [], now: Int64 = 1_000_000) throws {
    folder = try TemporaryFolder()
    clock = TestClock(now: now, seed: 7)
    let sets = try own.map { Genesis.AddOnlySet(path: try Path($0), keys: .own) }
    database = try Database.create(
      at: "\(folder.path)/a", space: "test", addOnlySets: sets, flags: flags, rules: rules,
      recovery: RecoveryCode(environment: clock.environment), deviceName: "a", environment: clock.environment,
      options: QuerySpace.options)
  }

  func reopen() throws {
    database.close()
    database = try Database.open(at: database.home, environment: clock.environment, options: QuerySpace.options)
  }

  func set(_ path: String, _ value: NewValue) throws {
    try database.write { try $0.setValue(value, at: try Path(path)) }
  }

  func set(_ path: String, json: String) throws { try set(path, try NewValue(json: json)) }

  func ref(_ path: String) -> DatabaseReference { database.reference(withPath: path) }
}

extension Database {
  /// Builds and drops indexes until nothing is left to do.
  func finishIndexes() throws {
    while try workOnIndexes() {}
  }
}

extension DatabaseQuery {
  /// The keys that the query finds, in its order.
  func keys() throws -> [String] { try snapshot().children.map(\.key) }
}
