internal import Foundation
internal import OfflineTree

/// The memory that a snapshot of very many jokes takes of which ten are read, in a process of its own.
struct SnapshotFigures {
  static let usage = "usage: Benchmarks snapshot [JOKES]"

  private let jokes: Int
  private let home: String?

  /// - Parameter arguments: How many jokes; or, for the process that reads, "read" and the home.
  init(_ arguments: [String]) throws {
    if arguments.count == 2, arguments[0] == "read" {
      (jokes, home) = (0, arguments[1])
      return
    }
    guard arguments.count < 2, let number = arguments.first.map({ Int($0) }) ?? 200_000, number > 9 else {
      throw Settings.Usage()
    }
    (jokes, home) = (number, nil)
  }

  func run() throws {
    if let home { return try read(home) }
    let folder = try TemporaryFolder()
    let made = try JokesHome(jokes, in: folder)
    made.database.close()
    let reader = Process()
    reader.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    reader.arguments = ["snapshot", "read", made.database.home]
    try reader.run()
    reader.waitUntilExit()
  }

  private func read(_ home: String) throws {
    let database = try Database.open(at: home, options: Database.Options(durability: .unsafeNoSync))
    let before = try Self.anonymousKilobytes()
    let snapshot = try database.reference(withPath: "jokes").snapshot()
    var votes = 0
    for joke in try snapshot.children.prefix(10) {
      votes += try joke.childSnapshot(forPath: "votes").value as? Int ?? 0
    }
    let after = try Self.anonymousKilobytes()
    let count = try snapshot.childrenCount
    print(
      "a snapshot of \(count) jokes, ten read (\(votes) votes): RssAnon \(before) -> \(after) kB, "
        + "\(try Self.anonymousKilobytes()) kB when they were counted")
    database.close()
  }

  private static func anonymousKilobytes() throws -> Int {
    let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
  }
}
