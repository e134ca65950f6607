import OfflineTree
import TestSupport
import Testing

@testable import Replicator

/// Chunks of files between two sessions.
@Suite struct SessionChunkTests {
  private static func connection(isOnce: Bool = false) throws -> FakeConnection {
    try FakeConnection(
      FakeConnection.session(token: 1, isOnce: isOnce), FakeConnection.session(token: 2, isOnce: isOnce))
  }

  private static func form(_ number: Int, bytes: Int = 100) -> [UInt8] {
    var form = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: bytes)
    form[0] = UInt8(truncatingIfNeeded: number >> 8)
    return form
  }

  @Test func `an end gets the chunks that it wants, many at a time, and both come to rest`() throws {
    var connection = try Self.connection(isOnce: true)
    var replicas = [FakeReplica(device: 1), FakeReplica(device: 2)]
    for number in 0..<100 {
      connection.left.files.wishes.append(connection.right.files.add(Self.form(number)))
    }
    connection.right.files.wishes = [connection.left.files.add([7, 7, 7])]
    #expect(try connection.settle(&replicas, 0, 1))
    #expect(connection.left.files.forms.count == 101 && connection.right.files.forms.count == 101)
    #expect(connection.left.end == .finished(.done) && connection.right.end == .finished(.done))
    #expect(connection.left.session.outcome.chunks == 100)
    let wishes = connection.left.sentMessages.compactMap { if case .wish(let ids) = $0 { ids.count } else { nil } }
    #expect(wishes == [32, 32, 32, 4])
  }

  @Test func `more than a window's bytes go through it`() throws {
    var connection = try Self.connection(isOnce: true)
    var replicas = [FakeReplica(device: 1), FakeReplica(device: 2)]
    for number in 0..<60 {
      connection.left.files.wishes.append(connection.right.files.add(Self.form(number, bytes: 1 << 20)))
    }
    #expect(try connection.settle(&replicas, 0, 1))
    #expect(connection.left.files.forms.count == 60)
    #expect(connection.left.end == .finished(.done))
  }

  @Test func `a chunk that is not what its name says is refused, told, and not asked for again`() throws {
    var connection = try Self.connection(isOnce: true)
    var replicas = [FakeReplica(device: 1), FakeReplica(device: 2)]
    let wanted = Sodium.hash32([1, 2, 3])
    connection.right.files.lie(wanted, [3, 2, 1])
    let good = connection.right.files.add([9])
    connection.left.files.wishes = [wanted, good]
    #expect(try connection.settle(&replicas, 0, 1))
    #expect(Array(connection.left.files.forms.keys) == [good])
    #expect(connection.left.end == .finished(.done))
    #expect(connection.left.session.outcome.notes.count == 1)
  }

  @Test func `an end that lacked a chunk says so when it has it`() throws {
    var connection = try Self.connection()
    var replicas = [FakeReplica(device: 1), FakeReplica(device: 2)]
    let id = Sodium.hash32([1, 2, 3])
    connection.left.files.wishes = [id]
    #expect(try connection.settle(&replicas, 0, 1))
    #expect(connection.left.files.forms.isEmpty && connection.left.end == nil)
    _ = connection.right.files.add([1, 2, 3])
    try connection.right.perform(connection.right.session.committed(at: connection.time))
    #expect(try connection.settle(&replicas, 0, 1))
    #expect(connection.left.files.forms[id] == [1, 2, 3])
    #expect(connection.right.sentMessages.contains(.have([id])))
  }

  @Test func `with a peer that lacks more than can be remembered an exchange ends as well`() throws {
    var configuration = FakeConnection.session(token: 1, isOnce: true).configuration
    configuration.absentChunks = 40
    var connection = try FakeConnection(Session(configuration), FakeConnection.session(token: 2, isOnce: true))
    var replicas = [FakeReplica(device: 1), FakeReplica(device: 2)]
    connection.left.files.wishes = (0..<200).map { Sodium.hash32(Self.form($0)) }
    #expect(try connection.settle(&replicas, 0, 1))
    #expect(connection.left.end == .finished(.done) && connection.right.end == .finished(.done))
  }

  @Test(arguments: [
    Message.chunk(ChunkAnswer(Bytes32.zero, nil)), .chunk(ChunkAnswer(Bytes32.zero, [1])),
  ])
  func `a chunk that nobody asked for ends the session`(_ message: Message) throws {
    var connection = try Self.connection()
    var replicas = [FakeReplica(device: 1), FakeReplica(device: 2)]
    #expect(try connection.settle(&replicas, 0, 1))
    try connection.left.perform(connection.left.session.received(message, at: connection.time))
    guard case .failed(let error)? = connection.left.end else {
      Issue.record("it went on")
      return
    }
    #expect(error.code == .damaged)
  }

  @Test func `messages about chunks are what the protocol says`() throws {
    let ids = [Bytes32(repeatElement(1, count: 32)), Bytes32(repeatElement(2, count: 32))]
    let ones = String(repeating: "01", count: 32)
    let twos = String(repeating: "02", count: 32)
    let cases: [(Message, String)] = [
      (.wish(ids), "410000000f02\(ones)\(twos)"), (.have(ids), "410000001102\(ones)\(twos)"),
      (.chunk(ChunkAnswer(ids[0], nil)), "2100000010\(ones)00"),
      (.chunk(ChunkAnswer(ids[0], [5, 6])), "2300000010\(ones)010506"),
    ]
    for (message, text) in cases {
      let frame = try message.frame()
      #expect(hexadecimal(frame) == text)
      #expect(try Message(message.kind, decoding: Array(frame.dropFirst(5))) == message)
    }
    let tooMany = [Bytes32](repeating: .zero, count: ProtocolLimits.chunks + 1)
    #expect(throws: TreeError.self) {
      try Message(.wish, decoding: Array(try Message.wish(tooMany).frame().dropFirst(5)))
    }
    #expect(throws: TreeError.self) { try Message(.wish, decoding: [0]) }
    #expect(throws: TreeError.self) { try Message(.chunk, decoding: Sodium.hash32([]).bytes + [1]) }
  }
}
