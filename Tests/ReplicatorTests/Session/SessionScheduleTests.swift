import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// The same exchange under every order that a network and a slow database can make of it.
@Suite struct SessionScheduleTests {
  private func histories(_ random: inout SeededRandom) throws -> [FakeReplica] {
    var replicas = (1...3).map { FakeReplica(device: UInt8($0)) }
    if Bool.random(using: &random) {
      for _ in 0..<Int.random(in: 0..<6, using: &random) { replicas[0].write([1]) }
      replicas[1] = replicas[0]
      replicas[1].device = 2
    }
    for _ in 0..<Int.random(in: 0..<30, using: &random) {
      let writer = Int.random(in: 0..<3, using: &random)
      replicas[writer].write([UInt8](repeating: 4, count: Int.random(in: 0..<40, using: &random)))
      if Int.random(in: 0..<8, using: &random) == 0 {
        var connection = try SessionExchangeTests.connection(isOnce: true)
        let pair = [[0, 2], [1, 2]].randomElement(using: &random) ?? [0, 2]
        #expect(try connection.settle(&replicas, pair[0], pair[1]))
      }
    }
    return replicas
  }

  /// One random step; what happens to a pair of replicas and the bytes between them.
  private func step(
    _ connection: inout FakeConnection, _ replicas: inout [FakeReplica], _ random: inout SeededRandom
  ) throws {
    connection.time.monotonic += UInt64.random(in: 0..<50_000_000, using: &random)
    switch Int.random(in: 0..<12, using: &random) {
    case 0..<2 where !connection.left.jobs.isEmpty: try connection.left.work(&replicas[0], at: connection.time)
    case 2..<4 where !connection.right.jobs.isEmpty: try connection.right.work(&replicas[1], at: connection.time)
    case 4..<7: try connection.carry(fromLeft: true, Int.random(in: 1..<2_000, using: &random))
    case 7..<10: try connection.carry(fromLeft: false, Int.random(in: 1..<2_000, using: &random))
    case 10 where Int.random(in: 0..<8, using: &random) == 0:
      replicas[0].write([5])
      try connection.left.perform(connection.left.session.committed(at: connection.time))
    case 11 where Int.random(in: 0..<8, using: &random) == 0:
      replicas[1].write([6])
      try connection.right.perform(connection.right.session.committed(at: connection.time))
    default: break
    }
  }

  @Test(arguments: 0..<150 as Range<UInt64>)
  func `two replicas come to equal clocks under any batching and delay`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var replicas = try histories(&random)
    var connection = try SessionExchangeTests.connection()
    for _ in 0..<Int.random(in: 0..<600, using: &random) { try step(&connection, &replicas, &random) }
    for end in [connection.left, connection.right] { #expect(end.end == nil, "seed \(seed)") }
    try connection.left.perform(connection.left.session.committed(at: connection.time))
    try connection.right.perform(connection.right.session.committed(at: connection.time))
    #expect(try connection.settle(&replicas), "seed \(seed)")
    #expect(replicas[0].allHashes == replicas[1].allHashes, "seed \(seed)")
    #expect(connection.left.session.isEqual && connection.right.session.isEqual, "seed \(seed)")
  }

  @Test(arguments: 1_000..<1_100 as Range<UInt64>)
  func `connections that break anywhere lose nothing`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var replicas = try histories(&random)
    for _ in 0..<Int.random(in: 1..<8, using: &random) {
      var connection = try SessionExchangeTests.connection(isOnce: Bool.random(using: &random))
      for _ in 0..<Int.random(in: 0..<150, using: &random) { try step(&connection, &replicas, &random) }
    }
    var connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas), "seed \(seed)")
    #expect(connection.left.end == .finished(.done), "seed \(seed)")
    #expect(replicas[0].allHashes == replicas[1].allHashes, "seed \(seed)")
  }

  @Test(arguments: [false, true])
  func `a connection that breaks at any message is taken up again`(isFork: Bool) throws {
    var start = SessionExchangeTests.replicas([12, 9])
    if isFork {
      start[1] = start[0]
      start[1].device = 2
      for number in 0..<7 { start[number % 2].write([UInt8(number), 3]) }
    }
    var lastBreak = 0
    while true {
      var replicas = start
      var connection = try SessionExchangeTests.connection(isOnce: true)
      var delivered = 0
      while !connection.isAtRest, delivered < lastBreak {
        if !connection.left.jobs.isEmpty { try connection.left.work(&replicas[0], at: connection.time) }
        if !connection.right.jobs.isEmpty { try connection.right.work(&replicas[1], at: connection.time) }
        for fromLeft in [true, false] where delivered < lastBreak {
          let outbox = fromLeft ? connection.left.outbox : connection.right.outbox
          guard outbox.count >= FrameCutter.headerCount else { continue }
          let length = outbox[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
          try connection.carry(fromLeft: fromLeft, length + FrameCutter.headerCount)
          delivered += 1
        }
      }
      let isWhole = connection.isAtRest
      var again = try SessionExchangeTests.connection(isOnce: true)
      #expect(try again.settle(&replicas), "broken after \(lastBreak)")
      #expect(again.left.end == .finished(.done), "broken after \(lastBreak)")
      #expect(replicas[0].allHashes == replicas[1].allHashes, "broken after \(lastBreak)")
      #expect(replicas[0].allHashes.isSuperset(of: start[0].allHashes.union(start[1].allHashes)))
      if isWhole { break }
      lastBreak += 1
    }
    #expect(lastBreak > 12)
  }
}
