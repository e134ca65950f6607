internal import OfflineTree
internal import Replicator

/// "e gets everything that d has", by a real transport, cut and ordered at random.
struct ScenarioExchange {
  /// Where folders that carry changes are made.
  let folder: String

  func run(from: Database, to: Database, _ random: inout SeededGenerator) async throws {
    if random.oneIn(64) {
      try await byFolder(from, to, "\(folder)/carrier.\(random.next())")
    } else {
      try bySegments(from, to, &random)
    }
  }

  /// In order, at once.
  func deliver(from: Database, to: Database) throws {
    let runs = try segments(from, to, limit: 1 << 20).map { try Segment(decoding: $0, space: to.spaceID).run }
    let reception = try to.receive(runs, keepBlocked: true)
    if let refusal = reception.refused.first { throw refusal.error }
  }

  private func byFolder(_ from: Database, _ to: Database, _ path: String) async throws {
    defer { TemporaryFolder.remove(path) }
    try TemporaryFolder.make(path)
    for database in [from, to] {
      let replicator = Replicator(database: database)
      try replicator.addRemote(.folder(path: path))
      for result in try await replicator.syncOnce() {
        if let error = result.error { throw error }
      }
      try replicator.removeRemote(.folder(path: path))
    }
  }

  /// Encoded and decoded as on any way; out of order and twice now and then, since what has to wait does.
  private func bySegments(_ from: Database, _ to: Database, _ random: inout SeededGenerator) throws {
    var segments = try segments(from, to, limit: random.oneIn(2) ? 1 << 20 : Int.random(in: 1...2_000, using: &random))
    if random.oneIn(4) {
      segments += segments.filter { _ in random.oneIn(3) }
      segments.shuffle(using: &random)
    }
    while !segments.isEmpty {
      let count = Int.random(in: 1...segments.count, using: &random)
      let runs = try segments.prefix(count).map { try Segment(decoding: $0, space: to.spaceID).run }
      segments.removeFirst(count)
      let reception = try to.receive(runs, keepBlocked: true)
      if let refusal = reception.refused.first { throw refusal.error }
    }
  }

  private func segments(_ from: Database, _ to: Database, limit: Int) throws -> [[UInt8]] {
    var outgoing = try from.outgoing(to: try to.clock())
    var segments: [[UInt8]] = []
    while true {
      let runs = try outgoing.next(maximumBytes: limit, from: from)
      if runs.isEmpty { return segments }
      for run in runs { segments.append(try Segment.encode(run, space: from.spaceID)) }
    }
  }
}
