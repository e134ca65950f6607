import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Two ends with the same changes that do not show the same.
@Suite struct SessionComparingTests {
  private func connect(isFaulty: Bool, isOnce: Bool) throws -> (FakeConnection, [FakeReplica]) {
    var replicas = [FakeReplica(device: 1), FakeReplica(device: 2)]
    replicas[0].write([1])
    replicas[1].isFaulty = isFaulty
    let connection = try FakeConnection(
      FakeConnection.session(token: 1, isOnce: isOnce), FakeConnection.session(token: 2, isOnce: isOnce))
    return (connection, replicas)
  }

  @Test(arguments: [false, true])
  func `a difference is found in the exchange that made the clocks equal, and its place is told`(isOnce: Bool) throws {
    var (connection, replicas) = try connect(isFaulty: true, isOnce: isOnce)
    #expect(try connection.settle(&replicas))
    #expect(replicas[0].clock == replicas[1].clock)
    let found = [connection.left, connection.right].map(\.session.outcome.divergences)
    // Who ends first has found it; the other may be told good-bye before it has.
    #expect(found.contains([PathKey("a").path]))
    if !isOnce { #expect(found.allSatisfy { $0 == [PathKey("a").path] }) }
    for end in [connection.left, connection.right] {
      #expect(end.session.outcome.notes.contains { $0.contains("do not hold the same") })
      #expect(end.sentMessages.count { $0.kind == .question } <= 2)
    }
  }

  @Test(arguments: [false, true])
  func `equal states are no news, and nothing is asked`(isOnce: Bool) throws {
    var (connection, replicas) = try connect(isFaulty: false, isOnce: isOnce)
    #expect(try connection.settle(&replicas))
    #expect(replicas[0].clock == replicas[1].clock)
    for end in [connection.left, connection.right] {
      #expect(end.session.outcome.divergences.isEmpty && end.session.outcome.notes.isEmpty)
      #expect(!end.sentMessages.contains { $0.kind == .question || $0.kind == .sums })
    }
    if isOnce { #expect(connection.left.end == .finished(.done) && connection.right.end == .finished(.done)) }
  }

  @Test func `sums that nobody asked for, and questions without end, end the connection`() throws {
    for isSums in [true, false] {
      var (connection, replicas) = try connect(isFaulty: false, isOnce: false)
      #expect(try connection.settle(&replicas))
      for _ in 0...ProtocolLimits.stateQuestions where connection.left.end == nil {
        let message: Message = isSums ? .sums(.parts([])) : .question(.buckets)
        try connection.left.perform(connection.left.session.received(message, at: connection.time))
      }
      guard case .failed(let error)? = connection.left.end else {
        Issue.record("the session goes on")
        continue
      }
      #expect(error.code == .damaged)
    }
  }
}
