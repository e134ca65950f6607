internal import Foundation
internal import OfflineTree
internal import Replicator

/// How long it takes a device to come back that was away while others made many changes, and dropped them; and whether its
/// pending votes count once, also where a twin of it comes back as well. Over real connections.
struct ReturnFigures {
  static let usage = "usage: Benchmarks return [CHANGES [JOKES]]"
  private static let votes = 100

  private let stage: HistoryStage

  init(_ arguments: [String]) throws { stage = try HistoryStage(arguments) }

  func run() async throws {
    let keeper = try await stage.makeKeeper()
    defer { keeper.close() }
    let (writer, other, away) = (
      try stage.device("writer", keeper), try stage.device("other", keeper), try stage.device("away", keeper)
    )
    defer { for database in [writer, other] { database.close() } }
    for number in 0..<Self.votes {
      let counter = stage.counters[number % stage.counters.count]
      try await away.write { try $0.vote(counter, voter: Key("voter\(number)"), choice: 1) }
    }
    away.close()
    try FileManager.default.copyItem(atPath: away.home, toPath: "\(stage.folder.path)/twin")
    try await stage.increment(writer)
    for database in [keeper, other] { try stage.give(writer, to: database) }
    try other.setHistoryRetention(.little)
    let clock = KeeperClock(device: keeper.deviceKey, home: keeper.homeToken, clock: try keeper.clock())
    let dropped = try other.compact(keepers: [clock])
    print("\(stage.changes) changes made while one was away, \(dropped.droppedChanges) dropped by the others")
    try await comeBack(keeper, other)
  }

  private func comeBack(_ keeper: Database, _ other: Database) async throws {
    let (ports, told) = AsyncStream.makeStream(of: Int.self)
    let listening = Task {
      try await Replicator(database: keeper).run(listen: (host: "127.0.0.1", port: 0)) { event in
        if case .listening(let port) = event { told.yield(port) }
      }
    }
    guard let port = await ports.first(where: { _ in true }) else { return }
    let clock = ContinuousClock()
    var all = [keeper, other]
    defer { for database in all.dropFirst(2) { database.close() } }
    for name in ["away", "twin"] {
      let home = try Database.open(at: "\(stage.folder.path)/\(name)", options: stage.options)
      all.append(home)
      let took = try await clock.measure {
        try await sync(home, port)
        try await sync(other, port)
      }
      print("\(name) is back after \(took); votes: \(try all.map { try votes($0) })")
    }
    for home in all.dropFirst() { try await sync(home, port) }
    let states = try all.map { try $0.read { try $0.stateHash() } }
    print(
      "states \(Set(states).count == 1 ? "equal" : "NOT EQUAL"), votes \(try all.map { try votes($0) }) of \(Self.votes)"
    )
    listening.cancel()
    try await listening.value
  }

  private func sync(_ database: Database, _ port: Int) async throws {
    let replicator = Replicator(database: database)
    try replicator.addRemote(.tcp(host: "127.0.0.1", port: port))
    for result in try await replicator.syncOnce() {
      if let error = result.error { throw error }
    }
  }

  /// Voters whose choice stands, by the choices themselves.
  private func votes(_ database: Database) throws -> Int {
    try database.read { transaction in
      var sum = 0
      for number in 0..<Self.votes {
        let counter = stage.counters[number % stage.counters.count]
        sum += try transaction.choice(of: Key("voter\(number)"), at: counter)
      }
      return sum
    }
  }
}
