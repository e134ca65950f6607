import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// How an end that has nothing begins.
@Suite struct SessionBeginningTests {
  private func replicas(_ count: Int, payload: Int = 1) -> [FakeReplica] {
    var source = FakeReplica(device: 1)
    for number in 0..<count { source.write([UInt8](repeating: UInt8(truncatingIfNeeded: number), count: payload)) }
    return [source, FakeReplica(device: 2)]
  }

  private func changes(_ replica: FakeReplica, _ count: Int) -> [FakeChange] {
    replica.order.prefix(count).compactMap { replica.changes[$0] }
  }

  private func kinds(_ end: FakeEnd) -> [MessageKind] { end.sentMessages.map(\.kind) }

  @Test(arguments: [false, true], [0, 1, 30, 40])
  func `it begins with the checkpoint, gets what came since, and nothing twice`(isOnce: Bool, inIt: Int) throws {
    var replicas = replicas(40)
    if inIt > 0 { replicas[0].checkpoint = FakeReplica.checkpoint(changes(replicas[0], inIt)) }
    var connection = try SessionExchangeTests.connection(isOnce: isOnce)
    #expect(try connection.settle(&replicas))
    #expect(replicas[1].allHashes == replicas[0].allHashes && replicas[1].duplicates == 0)
    #expect(connection.right.session.outcome.hasBegunWithCheckpoint == (inIt > 0))
    #expect(connection.right.session.outcome.received == 40 - inIt)
    #expect(kinds(connection.left).contains(.piece) == (inIt > 0))
    #expect(connection.left.session.isEqual && connection.right.session.isEqual)
    if isOnce { #expect(connection.left.end == .finished(.done) && connection.right.end == .finished(.done)) }
  }

  @Test func `a checkpoint of many pieces is sent within the window`() throws {
    var replicas = replicas(200, payload: 200_000)
    replicas[0].checkpoint = FakeReplica.checkpoint(changes(replicas[0], 190))
    var connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas))
    #expect(replicas[1].allHashes == replicas[0].allHashes)
    #expect(kinds(connection.left).count { $0 == .piece } == 37)
    #expect(connection.right.session.outcome.received == 10)
  }

  @Test func `a checkpoint that cannot be taken is told of, and the history is read`() throws {
    var replicas = replicas(5)
    replicas[0].checkpoint = [9, 9, 9]
    var connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&replicas))
    #expect(replicas[1].allHashes == replicas[0].allHashes)
    #expect(!connection.right.session.outcome.hasBegunWithCheckpoint)
    #expect(connection.right.session.outcome.notes.contains { $0.contains("checkpoint") })
    #expect(connection.right.end == .finished(.done))
  }

  @Test func `two that have nothing end, and one that has begun asks for nothing`() throws {
    var empty = [FakeReplica(device: 1), FakeReplica(device: 2)]
    var connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&empty))
    #expect(connection.left.end == .finished(.done))
    var begun = SessionExchangeTests.replicas([3, 4])
    begun[0].checkpoint = [1]
    connection = try SessionExchangeTests.connection(isOnce: true)
    #expect(try connection.settle(&begun))
    #expect(!kinds(connection.right).contains(.ask) && !kinds(connection.left).contains(.offer))
  }

  @Test func `pieces and offers that nobody asked for end the connection`() throws {
    let messages: [Message] = [.piece([1]), .offer(CheckpointOffer(byteCount: 3, floors: [])), .ask(true)]
    for message in messages {
      var replicas = SessionExchangeTests.replicas([3, 2])
      var connection = try SessionExchangeTests.connection()
      #expect(try connection.settle(&replicas))
      try connection.left.perform(connection.left.session.received(message, at: connection.time))
      guard case .failed(let error)? = connection.left.end else {
        Issue.record("\(message.kind): it went on")
        continue
      }
      #expect(error.code == .damaged)
    }
  }
}
