internal import OfflineTree

/// What history takes on the disk: of a keeper, and where it was dropped. No rival: the figures are bytes.
struct HistoryFigures {
  static let usage = "usage: Benchmarks history [CHANGES [JOKES]]"

  private let stage: HistoryStage

  init(_ arguments: [String]) throws { stage = try HistoryStage(arguments) }

  func run() async throws {
    let keeper = try await stage.makeKeeper()
    defer { keeper.close() }
    let writer = try stage.device("writer", keeper)
    defer { writer.close() }
    let path = try await measure(keeper, writer)
    // The file without its free room: nobody has that home open any more.
    let (before, after) = try Database.shrink(at: path)
    print("other, given back to the disk: file \(before) -> \(after)")
  }

  /// - Returns: The home of a device that has dropped all that it may, closed.
  private func measure(_ keeper: Database, _ writer: Database) async throws -> String {
    let other = try stage.device("other", keeper)
    defer { other.close() }
    let live = stage.size(of: other)
    let writing = try await ContinuousClock().measure { try await stage.increment(writer) }
    for database in [keeper, other] { try stage.give(writer, to: database) }
    print("\(stage.changes) increments on \(stage.jokes) jokes, written in \(writing); file \(live) before them")
    try report("keeper", keeper)
    try report("other, all kept", other)
    var packed = CompactionReport()
    let packing = try ContinuousClock().measure { packed = try keeper.compact(keepers: []) }
    print("packed \(packed.packedChanges) changes in \(packing): \(packed.bytesBefore) -> \(packed.bytesAfter) bytes")
    try report("keeper, packed", keeper)
    try other.setHistoryRetention(.little)
    let clock = KeeperClock(device: keeper.deviceKey, home: keeper.homeToken, clock: try keeper.clock())
    var dropped = CompactionReport()
    let dropping = try ContinuousClock().measure { dropped = try other.compact(keepers: [clock]) }
    print(
      "dropped \(dropped.droppedChanges) changes in \(dropping): \(dropped.bytesBefore) -> \(dropped.bytesAfter) bytes")
    try report("other, dropped", other)
    return other.home
  }

  private func report(_ name: String, _ database: Database) throws {
    let status = try database.history()
    let rows = status.plainBytes + status.packedBytes + status.gapBytes
    let tenths = rows * 10 / max(1, stage.changes)
    print(
      "\(name): rows of changes \(rows) bytes (plain \(status.plainBytes), packed \(status.packedBytes), gaps "
        + "\(status.gapBytes)), \(tenths / 10).\(tenths % 10) an increment; file \(stage.size(of: database))")
  }
}
