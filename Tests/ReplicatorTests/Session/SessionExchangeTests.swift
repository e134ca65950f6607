import OfflineTree
import Testing

@testable import Replicator

@Suite struct SessionExchangeTests {
  static func replicas(_ counts: [Int]) -> [FakeReplica] {
    counts.enumerated().map { index, count in
      var replica = FakeReplica(device: UInt8(index + 1))
      for number in 0..<count { replica.write([UInt8(index), UInt8(truncatingIfNeeded: number)]) }
      return replica
    }
  }

  static func connection(isOnce: Bool = false) throws -> FakeConnection {
    try FakeConnection(
      FakeConnection.session(token: 1, isOnce: isOnce), FakeConnection.session(token: 2))
  }

  private func kinds(_ end: FakeEnd) -> [MessageKind] { end.sentMessages.map(\.kind) }

  @Test func `equal clocks are found by their digests alone`() throws {
    let first = Self.replicas([3])[0]
    var replicas = [first, first]
    replicas[1].device = 2
    var connection = try Self.connection(isOnce: true)
    #expect(try connection.settle(&replicas))
    #expect(connection.left.end == .finished(.done))
    #expect(connection.right.end == .finished(.done))
    for end in [connection.left, connection.right] {
      #expect(kinds(end).prefix(3) == [.hello, .clock, .acknowledge])
      #expect(!end.sentMessages.contains { $0.isContent })
    }
  }

  @Test(arguments: [[0, 0], [0, 5], [5, 0], [1, 1], [40, 3]])
  func `each end gets what it lacks, once`(counts: [Int]) throws {
    var replicas = Self.replicas(counts)
    var connection = try Self.connection(isOnce: true)
    let isAtRest = try connection.settle(&replicas)
    #expect(isAtRest)
    #expect(connection.left.end == .finished(.done))
    #expect(connection.right.end == .finished(.done))
    #expect(connection.left.session.isEqual)
    #expect(replicas[0].clock == replicas[1].clock)
    #expect(replicas[0].changes.count == counts.reduce(0, +))
    #expect(replicas.map(\.duplicates) == [0, 0])
    let outcome = connection.left.session.outcome
    #expect(outcome.sent == counts[0])
    #expect(outcome.received == counts[1])
  }

  @Test func `positions are sent once, in the one round trip before changes`() throws {
    var replicas = Self.replicas([2, 2])
    var connection = try Self.connection()
    #expect(try connection.settle(&replicas))
    let kinds = kinds(connection.left).filter { $0 != .acknowledge }
    #expect(kinds.prefix(4) == [.hello, .clock, .clock, .segment])
    #expect(kinds.count { $0 == .clock } == 2)
  }

  @Test func `new commits are pushed, and nothing comes back`() throws {
    var replicas = Self.replicas([1, 1])
    var connection = try Self.connection()
    #expect(try connection.settle(&replicas))
    for _ in 0..<5 {
      let segments = kinds(connection.right).count { $0 == .segment }
      replicas[0].write([9])
      try connection.left.perform(connection.left.session.committed(at: connection.time))
      #expect(try connection.settle(&replicas))
      try connection.right.perform(connection.right.session.committed(at: connection.time))
      #expect(try connection.settle(&replicas))
      #expect(replicas[0].clock == replicas[1].clock)
      #expect(kinds(connection.right).count { $0 == .segment } == segments)
    }
    #expect(replicas.map(\.duplicates) == [0, 0])
    #expect(connection.left.end == nil)
  }

  @Test func `what a middle device receives it passes on`() throws {
    var replicas = Self.replicas([4, 1, 1])
    var near = try Self.connection()
    #expect(try near.settle(&replicas))
    var far = try Self.connection(isOnce: true)
    #expect(try far.settle(&replicas, 1, 2))
    #expect(far.left.session.outcome.sent == 5)
    #expect(replicas[2].changes.count == 6)
  }

  @Test func `acknowledgements tell the other's clock as it grows`() throws {
    var replicas = Self.replicas([3, 2])
    var connection = try Self.connection()
    #expect(try connection.settle(&replicas))
    for end in [connection.left, connection.right] {
      let clocks = end.events.compactMap { event -> VectorClock? in
        if case .acknowledged(let clock, _) = event { return clock }
        return nil
      }
      #expect(clocks.last == replicas[0].clock)
    }
  }

  @Test func `a burst of commits while a pull is under way makes one more pull`() throws {
    var replicas = Self.replicas([1, 1])
    var connection = try Self.connection()
    #expect(try connection.settle(&replicas))
    for _ in 0..<100 {
      replicas[0].write([1])
      try connection.left.perform(connection.left.session.committed(at: connection.time))
    }
    #expect(
      connection.left.jobs
        == [
          .pull(maximumBytes: ProtocolLimits.pieceBytes), .findWanted(limit: ProtocolLimits.gaps),
          .findChunks(limit: ProtocolLimits.chunks, without: [], isAlone: false),
        ])
    #expect(try connection.settle(&replicas))
    #expect(replicas[0].clock == replicas[1].clock)
  }

  @Test func `a session that is to end does not wait for a peer who never stops writing`() throws {
    var replicas = Self.replicas([3, 3])
    var connection = try Self.connection(isOnce: true)
    for round in 0..<200 where connection.left.end == nil {
      if !connection.left.jobs.isEmpty { try connection.left.work(&replicas[0], at: connection.time) }
      if !connection.right.jobs.isEmpty { try connection.right.work(&replicas[1], at: connection.time) }
      try connection.carry(fromLeft: true, .max)
      try connection.carry(fromLeft: false, .max)
      guard round % 8 == 0 else { continue }
      replicas[0].write([2])
      try connection.left.perform(connection.left.session.committed(at: connection.time))
      replicas[1].write([3])
      try connection.right.perform(connection.right.session.committed(at: connection.time))
    }
    #expect(connection.left.end == .finished(.done))
  }

  @Test func `a sender stops at the window until the other end acknowledges`() throws {
    var replicas = Self.replicas([0, 0])
    for _ in 0..<40 { replicas[0].write([UInt8](repeating: 5, count: 1_000_000)) }
    var connection = try Self.connection()
    // Everything but the right end's application of segments.
    for _ in 0..<2_000 {
      if !connection.left.jobs.isEmpty { try connection.left.work(&replicas[0], at: connection.time) }
      if let job = connection.right.jobs.first {
        if case .apply = job {} else { try connection.right.work(&replicas[1], at: connection.time) }
      }
      try connection.carry(fromLeft: true, .max)
      try connection.carry(fromLeft: false, .max)
    }
    let bytes = connection.left.sentMessages.reduce(0) { sum, message in
      if case .segment(let bytes) = message { sum + bytes.count } else { sum }
    }
    #expect(bytes <= ProtocolLimits.windowBytes)
    #expect(bytes > ProtocolLimits.windowBytes - 2 * ProtocolLimits.pieceBytes)
    #expect(try connection.settle(&replicas))
    #expect(replicas[0].clock == replicas[1].clock)
  }
}
