internal import OfflineTree

/// What all measures share: the workload, and a home full of jokes of which each measure gets a copy.
final class Stage {
  let settings: Settings
  let workload: Jokes
  let zipf: Zipf
  var generator: SeededGenerator
  /// The keys of the jokes in the home.
  private(set) var keys: [Key] = []
  private let folder: TemporaryFolder
  private let home: String
  /// By which another device joins.
  let invite: Invite
  private var folders = 0
  private var copies: [String] = []

  static let batch = 1_000

  init(_ settings: Settings) throws {
    self.settings = settings
    workload = try Jokes()
    zipf = Zipf(count: settings.jokes)
    generator = SeededGenerator(seed: settings.seed)
    folder = try TemporaryFolder()
    home = "\(folder.path)/home"
    let database = try Database.create(
      at: home, space: "benchmark", addOnlySets: workload.addOnlySets, flags: workload.flags, recovery: RecoveryCode(),
      deviceName: "benchmark",
      options: Database.Options(durability: .unsafeNoSync))
    // In the home before it is copied: every copy knows of it.
    invite = try database.invite()
    while keys.count < settings.jokes {
      keys += try post(jokes(min(Stage.batch, settings.jokes - keys.count)), in: database)
    }
    database.close()
  }

  /// A path at which nothing is yet, and something will be.
  func newPath() -> String {
    folders += 1
    copies.append("\(folder.path)/\(folders)")
    return copies[copies.count - 1]
  }

  /// Gives back the room of everything at new paths, which nobody needs any longer.
  func removeCopies() throws {
    for copy in copies { try TemporaryFolder.remove(copy) }
    copies = []
  }

  /// A copy of the home.
  func newHome() throws -> String {
    let copy = newPath()
    try TemporaryFolder.copy(home, to: copy)
    return copy
  }

  /// Fresh jokes.
  func jokes(_ count: Int) -> [NewValue] { (0..<count).map { _ in workload.joke(&generator) } }

  /// Fresh jokes of one author.
  func jokes(_ count: Int, by author: String) -> [NewValue] {
    (0..<count).map { _ in workload.joke(&generator, by: author) }
  }

  /// Jokes that are there, the popular ones often.
  func popular(_ count: Int) -> [Key] { (0..<count).map { _ in keys[zipf.next(&generator)] } }

  /// Posts jokes in one write.
  @discardableResult
  func post(_ jokes: [NewValue], in database: Database) throws -> [Key] {
    let path = workload.jokes
    return try database.write { transaction in try jokes.map { try transaction.push($0, to: path) } }
  }

  /// Takes one sample more than is asked for, and leaves the first out: it warms up.
  func samples(_ take: () throws -> Times) throws -> [Times] {
    _ = try take()
    return try (0..<settings.samples).map { _ in try take() }
  }
}
