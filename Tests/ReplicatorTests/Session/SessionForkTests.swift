import OfflineTree
import Testing

@testable import Replicator

@Suite struct SessionForkTests {
  /// Two homes of one device that went on apart after `common` changes.
  private func twins(common: Int, _ first: Int, _ second: Int) -> [FakeReplica] {
    let origin = SessionExchangeTests.replicas([common])[0]
    var twins = [origin, origin]
    twins[1].device = 2
    for number in 0..<first { twins[0].write([1, UInt8(number)]) }
    for number in 0..<second { twins[1].write([2, UInt8(number)]) }
    return twins
  }

  static let shapes = [0, 1, 2, 30].flatMap { common in
    [0, 1, 2, 17].flatMap { first in [0, 1, 2, 17].map { [common, first, $0] } }
  }

  @Test(arguments: shapes)
  func `twins end up with both branches, and each writes to a log of its own`(shape: [Int]) throws {
    var replicas = twins(common: shape[0], shape[1], shape[2])
    let logs = replicas.map(\.currentLog)
    var connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas), "\(shape)")
    #expect(connection.left.end == .finished(.done), "\(shape)")
    #expect(connection.left.session.isEqual, "\(shape)")
    #expect(replicas[0].allHashes == replicas[1].allHashes, "\(shape)")
    #expect(replicas[0].changes.count == shape.reduce(0, +), "\(shape)")
    // Whoever met changes of its log that it did not have writes elsewhere now.
    if shape[2] > 0 { #expect(replicas[0].currentLog != logs[0], "\(shape)") }
    if shape[1] > 0 { #expect(replicas[1].currentLog != logs[1], "\(shape)") }
  }

  @Test(arguments: [1, 5, 40])
  func `a restored home fetches its own changes before it sends any`(lost: Int) throws {
    var origin = SessionExchangeTests.replicas([3])[0]
    let restored = origin
    for number in 0..<lost { origin.write([UInt8(number)]) }
    var replicas = [restored, origin, FakeReplica(device: 3)]
    replicas[1].device = 2
    // What a third device gave the restored home since.
    replicas[2].write([3])
    var other = try SessionExchangeTests.connection(isOnce: true)
    #expect(try other.settle(&replicas, 2, 0))

    var connection = try SessionExchangeTests.connection()
    var (hasSent, hasFetched) = (false, false)
    for _ in 0..<10_000 where !connection.isAtRest {
      if !connection.left.jobs.isEmpty { try connection.left.work(&replicas[0], at: connection.time) }
      hasFetched = origin.clock.positions.allSatisfy { replicas[0].has($0) }
      hasSent = connection.left.sentMessages.contains { $0.kind == .segment }
      #expect(hasFetched || !hasSent)
      if !connection.right.jobs.isEmpty { try connection.right.work(&replicas[1], at: connection.time) }
      try connection.carry(fromLeft: true, 200)
      try connection.carry(fromLeft: false, 200)
    }
    #expect(hasFetched && hasSent)
    #expect(replicas[0].clock == replicas[1].clock)
    #expect(connection.left.session.outcome.notes.count == 1)
    let before = replicas[0].clock
    replicas[0].write([8])
    #expect(!before.positions.contains { $0.log == replicas[0].currentLog })
  }

  @Test func `a write between the comparison and the fetch goes to a new log`() throws {
    var origin = SessionExchangeTests.replicas([3])[0]
    var replicas = [origin, origin]
    origin.write([7])
    replicas[1] = origin
    replicas[1].device = 2
    var connection = try SessionExchangeTests.connection()
    let log = replicas[0].currentLog
    for _ in 0..<1_000 where replicas[0].currentLog == log {
      if !connection.left.jobs.isEmpty { try connection.left.work(&replicas[0], at: connection.time) }
      if !connection.right.jobs.isEmpty { try connection.right.work(&replicas[1], at: connection.time) }
      try connection.carry(fromLeft: true, 10)
      try connection.carry(fromLeft: false, 10)
    }
    #expect(!replicas[0].has(replicas[1].clock.positions[0]))
    replicas[0].write([9])
    try connection.left.perform(connection.left.session.committed(at: connection.time))
    #expect(try connection.settle(&replicas))
    #expect(replicas[0].clock == replicas[1].clock)
    #expect(replicas[0].clock.positions.count == 2)
    #expect(Set(replicas[0].clock.positions.map(\.log)).count == 2)
  }

  @Test func `a branch that arrives from a third device is passed on while connected`() throws {
    var replicas = twins(common: 2, 3, 4)
    replicas.append(FakeReplica(device: 3))
    var first = try SessionExchangeTests.connection()
    #expect(try first.settle(&replicas, 0, 2))
    var second = try SessionExchangeTests.connection()
    #expect(try second.settle(&replicas, 1, 2))
    try first.right.perform(first.right.session.committed(at: first.time))
    #expect(try first.settle(&replicas, 0, 2))
    #expect(Set(replicas.map(\.clock)).count == 1)
    #expect(replicas[0].changes.count == 9)
  }
}
