internal import Foundation
internal import OfflineTree

/// What history takes on the disk: of a keeper, and where it was dropped. No rival: the figures are bytes.
struct HistoryFigures {
  static let usage = "usage: Benchmarks history [CHANGES [JOKES]]"

  private let folder: TemporaryFolder
  private let changes: Int
  private let jokes: Int
  private let options = Database.Options(durability: .unsafeNoSync)

  init(_ arguments: [String]) throws {
    let numbers = try arguments.map { text in
      guard let number = Int(text), number > 0 else { throw Settings.Usage() }
      return number
    }
    guard numbers.count < 3 else { throw Settings.Usage() }
    changes = numbers.first ?? 1_000_000
    jokes = numbers.dropFirst().first ?? 100_000
    folder = try TemporaryFolder()
  }

  func run() async throws {
    let workload = try Jokes()
    var generator = SeededGenerator(seed: 1)
    let recovery = RecoveryCode(environment: .system)
    let keeper = try Database.create(
      at: "\(folder.path)/keeper", space: "jokes", addOnlySets: workload.addOnlySets, flags: workload.flags,
      recovery: recovery, deviceName: "keeper", options: options)
    defer { keeper.close() }
    let made = (0..<jokes).map { _ in workload.joke(&generator) }
    var counters: [Path] = []
    for start in stride(from: 0, to: jokes, by: 1_000) {
      let part = made[start..<min(jokes, start + 1_000)]
      let keys = try await keeper.write { transaction in try part.map { try transaction.push($0, to: workload.jokes) } }
      counters += try keys.map { try workload.counter(of: $0) }
    }
    let writer = try device("writer", keeper)
    defer { writer.close() }
    let other = try device("other", keeper)
    defer { other.close() }
    let before = size("other")
    let picks = (0..<changes).map { _ in counters[Int.random(in: 0..<counters.count, using: &generator)] }
    let writing = try await ContinuousClock().measure { try await increment(writer, picks) }
    for database in [keeper, other] {
      for batch in try Stage.batches(from: writer, to: database) { _ = try database.receive(batch, keepBlocked: true) }
    }
    print("\(changes) increments on \(jokes) jokes, written in \(writing)")
    try report("keeper", keeper, before: nil)
    try report("other, all kept", other, before: before)
    var packed = CompactionReport()
    let packing = try ContinuousClock().measure { packed = try keeper.compact(keepers: []) }
    print("packed \(packed.packedChanges) changes in \(packing): \(packed.bytesBefore) -> \(packed.bytesAfter) bytes")
    try report("keeper, packed", keeper, before: nil)
    try other.setHistoryRetention(.little)
    let clock = KeeperClock(device: keeper.deviceKey, home: keeper.homeToken, clock: try keeper.clock())
    var dropped = CompactionReport()
    let dropping = try ContinuousClock().measure { dropped = try other.compact(keepers: [clock]) }
    print(
      "dropped \(dropped.droppedChanges) changes in \(dropping): \(dropped.bytesBefore) -> \(dropped.bytesAfter) bytes")
    try report("other, dropped", other, before: before)
  }

  private func device(_ name: String, _ keeper: Database) throws -> Database {
    let database = try Database.join(
      at: "\(folder.path)/\(name)", invite: try keeper.invite(), deviceName: name, options: options)
    for batch in try Stage.batches(from: keeper, to: database) { _ = try database.receive(batch, keepBlocked: true) }
    return database
  }

  private func increment(_ writer: Database, _ picks: [Path]) async throws {
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

  private func size(_ name: String) -> Int {
    let path = "\(folder.path)/\(name)/data/data.mdb"
    return (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int).flatMap { $0 } ?? 0
  }

  private func report(_ name: String, _ database: Database, before: Int?) throws {
    let status = try database.history()
    let rows = status.plainBytes + status.packedBytes + status.gapBytes
    let tenths = rows * 10 / max(1, changes)
    let file = size(database.home.split(separator: "/").last.map(String.init) ?? "")
    print(
      "\(name): rows of changes \(rows) bytes (plain \(status.plainBytes), packed \(status.packedBytes), gaps "
        + "\(status.gapBytes)), \(tenths / 10).\(tenths % 10) an increment; file \(file)"
        + (before.map { ", \($0) before the increments" } ?? ""))
  }
}
