import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// What was dropped is fetched from a peer that has it, and from nobody twice.
@Suite struct SessionHistoryTests {
  /// Two that had the same changes, of which one dropped its peer's; and what needs them comes.
  private func dropper(_ count: Int = 10) -> [FakeReplica] {
    var keeper = SessionExchangeTests.replicas([count])[0]
    var dropper = keeper
    dropper.device = 2
    dropper.leaveLog()
    dropper.drop { _ in true }
    keeper.write([FakeReplica.needy])
    return [keeper, dropper]
  }

  private func wants(_ end: FakeEnd) -> [[HistoryGap]] {
    end.sentMessages.compactMap { if case .want(let gaps) = $0 { gaps } else { nil } }
  }

  @Test(arguments: [false, true], [1, 10, 64, 65, 200])
  func `what a change needs is fetched, each gap once, and the change goes on`(isOnce: Bool, count: Int) throws {
    var replicas = dropper(count)
    var connection = try SessionExchangeTests.connection(isOnce: isOnce)
    #expect(try connection.settle(&replicas))
    #expect(replicas[1].allHashes == replicas[0].allHashes)
    #expect(replicas[1].dropped.isEmpty)
    let asked = wants(connection.right)
    #expect(asked.flatMap { $0 }.count == count && Set(asked.flatMap { $0 }).count == count)
    #expect(asked.allSatisfy { $0.count <= ProtocolLimits.gaps })
    #expect(connection.right.session.outcome.fetched == count)
    #expect(connection.right.session.outcome.received == 1)
    #expect(connection.left.session.isEqual && connection.right.session.isEqual)
    if isOnce { #expect(connection.left.end == .finished(.done) && connection.right.end == .finished(.done)) }
  }

  @Test(arguments: [false, true])
  func `nothing is asked for where nothing waits`(isOnce: Bool) throws {
    var replicas = dropper()
    replicas[0] = SessionExchangeTests.replicas([11])[0]
    var connection = try SessionExchangeTests.connection(isOnce: isOnce)
    #expect(try connection.settle(&replicas))
    #expect(wants(connection.right).isEmpty && replicas[1].dropped.count == 10)
    #expect(replicas[1].allHashes == replicas[0].allHashes)
  }

  @Test func `where two droppers meet, one exchange ends all the same, and a keeper later makes it go on`() throws {
    var replicas = dropper()
    var another = replicas[0]
    another.drop { $0.payload.first != FakeReplica.needy }
    replicas.append(another)
    var connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas, 2, 1))
    #expect(connection.left.end == .finished(.done) && connection.right.end == .finished(.done))
    #expect(replicas[1].needsHistory && replicas[1].dropped.count == 10)
    #expect(wants(connection.right).map(\.count) == [10])
    // Nothing new comes of the keeper but what was dropped.
    connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas, 0, 1))
    #expect(!replicas[1].needsHistory && replicas[1].dropped.isEmpty)
    #expect(replicas[1].allHashes == replicas[0].allHashes)
  }

  @Test func `a standing session asks when another one brought what needs history`() throws {
    var replicas = dropper()
    let needy = replicas[0]
    replicas.append(needy)
    replicas[2].drop { $0.payload.first != FakeReplica.needy }
    replicas[0] = SessionExchangeTests.replicas([10])[0]
    var standing = try SessionExchangeTests.connection()
    #expect(try standing.settle(&replicas, 0, 1))
    var other = try SessionExchangeTests.connection(isOnce: true)
    #expect(try other.settle(&replicas, 2, 1))
    #expect(replicas[1].needsHistory)
    try standing.right.perform(standing.right.session.committed(at: standing.time))
    #expect(try standing.settle(&replicas, 0, 1))
    #expect(!replicas[1].needsHistory)
    #expect(replicas[0].allHashes == needy.allHashes)
  }

  @Test func `a peer that did not have a gap is asked again after ten minutes, not before`() throws {
    var replicas = dropper()
    var another = replicas[0]
    another.drop { $0.payload.first != FakeReplica.needy }
    replicas.append(another)
    var connection = try SessionExchangeTests.connection()
    #expect(try connection.settle(&replicas, 2, 1))
    for minutes: UInt64 in [0, 1, 8] {
      connection.time.monotonic += minutes * 60_000_000_000
      try connection.right.perform(connection.right.session.committed(at: connection.time))
      #expect(try connection.settle(&replicas, 2, 1))
      #expect(wants(connection.right).count == 1)
    }
    #expect(connection.right.events.contains { if case .lacks = $0 { true } else { false } })
    // Meanwhile the peer has it.
    replicas[2] = replicas[0]
    connection.time.monotonic += 90_000_000_000
    try connection.right.perform(connection.right.session.committed(at: connection.time))
    #expect(try connection.settle(&replicas, 2, 1))
    #expect(wants(connection.right).count == 2 && !replicas[1].needsHistory)
  }

  @Test func `bytes that do not fit are not asked for again in one exchange`() throws {
    var replicas = dropper(3)
    var connection = try SessionExchangeTests.connection(isOnce: true)
    // The answers carry another change of the keeper.
    let wrong = replicas[0].changes.values.first { $0.payload.first == FakeReplica.needy }!.encoded
    for _ in 0..<1_000 where !connection.isAtRest {
      for _ in connection.right.jobs { try connection.right.work(&replicas[1], at: connection.time) }
      while let job = connection.left.jobs.first {
        if case .readHistory(let gap) = job {
          connection.left.jobs.removeFirst()
          let answer = HistoryAnswer(to: gap, bodies: [wrong[...]])
          try connection.left.perform(connection.left.session.completed(.history(answer), at: connection.time))
        } else {
          try connection.left.work(&replicas[0], at: connection.time)
        }
      }
      try connection.carry(fromLeft: true, .max)
      try connection.carry(fromLeft: false, .max)
    }
    #expect(connection.isAtRest && connection.right.end == .finished(.done))
    #expect(wants(connection.right).count == 1)
    #expect(replicas[1].needsHistory && replicas[1].dropped.count == 3)
  }

  @Test func `both ends can fetch from each other at once`() throws {
    var replicas = SessionExchangeTests.replicas([5, 5])
    var connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas))
    let logs = replicas.map(\.currentLog)
    replicas[0].drop { $0.log == logs[1] }
    replicas[1].drop { $0.log == logs[0] }
    replicas[0].write([FakeReplica.needy])
    replicas[1].write([FakeReplica.needy])
    connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas))
    #expect(replicas.allSatisfy { $0.dropped.isEmpty && !$0.needsHistory })
    #expect(replicas[0].allHashes == replicas[1].allHashes)
    #expect(connection.left.end == .finished(.done) && connection.right.end == .finished(.done))
  }

  @Test func `history that nobody asked for, and a wish before the last was answered, end the connection`() throws {
    for isHistory in [true, false] {
      var replicas = SessionExchangeTests.replicas([3, 0])
      var connection = try SessionExchangeTests.connection()
      #expect(try connection.settle(&replicas))
      let gap = FrameTests.gap
      let messages: [Message] =
        isHistory ? [.history(HistoryAnswer(to: gap, bodies: [[1], [2], [3]]))] : [.want([gap]), .want([gap])]
      for message in messages {
        try connection.left.perform(connection.left.session.received(message, at: connection.time))
      }
      guard case .failed(let error)? = connection.left.end else {
        Issue.record("it went on")
        continue
      }
      #expect(error.code == .damaged)
    }
  }
}
