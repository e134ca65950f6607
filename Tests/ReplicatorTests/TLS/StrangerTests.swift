import OfflineTree
import Testing

@testable import Replicator

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What an end that listens tells somebody who lacks the key: nothing.
@Suite struct StrangerTests {
  private static let known = ChannelPair.epoch(1)

  private static func end(_ seen: NonceMemory = NonceMemory()) throws -> TestEnd {
    TestEnd(try TLSChannel(accepting: TLSKeyring([known, ChannelPair.epoch(2)], seen: seen)))
  }

  private static func hello(_ identity: [UInt8], _ key: EpochKeys) throws -> [UInt8] {
    try TLSChannel(identity: identity, key: key.preSharedKey).takeOutput()
  }

  private static func identity(_ epoch: EpochKeys) -> [UInt8] { TLSIdentity(epoch, nonce: ChannelPair.nonce()).bytes }

  /// Hellos of ends that do not belong here, by what is wrong with them.
  private static func strangers() throws -> [(String, [UInt8], NonceMemory)] {
    let (wrong, seen) = (ChannelPair.epoch(9), NonceMemory())
    let replayed = try hello(identity(known), known)
    var first = try end(seen)
    first.receive(replayed)
    #expect(!first.takeOutput().isEmpty)
    var otherType = identity(known)
    otherType[0] = 2
    return [
      ("a wrong key", try hello(identity(known), wrong), NonceMemory()),
      ("an unknown identity", try hello(identity(wrong), wrong), NonceMemory()),
      ("an unknown type of identity", try hello(otherType, known), NonceMemory()),
      ("an identity of another length", try hello(Array(identity(known).dropLast()), known), NonceMemory()),
      ("a replayed hello", replayed, seen),
    ]
  }

  @Test func `a wrong key, an unknown identity and a replay cannot be told apart`() throws {
    var answers: [TreeError] = []
    var lengths: [Int] = []
    for (what, hello, seen) in try Self.strangers() {
      var end = try Self.end(seen)
      // Up to its last byte it could be anybody's.
      end.receive(hello.dropLast())
      #expect(end.error == nil && end.channel.takeOutput().isEmpty, "\(what)")
      end.receive(hello.suffix(1))
      answers.append(try #require(end.error, "\(what)"))
      // Not only is nothing sent: there is nothing that could be.
      #expect(end.channel.takeOutput() == [], "\(what)")
      #expect(!end.channel.isEstablished)
      lengths.append(hello.count)
    }
    #expect(answers.count == 5)
    #expect(Set(answers.map(\.description)).count == 1, "\(answers)")
    #expect(Set(lengths).count == 2, "all but the short identity have one length: \(lengths)")
  }

  @Test func `a hello is answered once, also in pieces and by another connection of the listener`() throws {
    let seen = NonceMemory()
    let hello = try Self.hello(Self.identity(Self.known), Self.known)
    var answered = 0
    for piece in [hello.count, 1, 7] {
      var end = try Self.end(seen)
      for start in stride(from: 0, to: hello.count, by: piece) { end.receive(hello[start...].prefix(piece)) }
      if !end.channel.takeOutput().isEmpty { answered += 1 }
    }
    #expect(answered == 1)
    #expect(seen.count == 1)
  }

  @Test func `a stranger cannot make the memory of hellos forget`() throws {
    let seen = NonceMemory(capacity: 1)
    let hello = try Self.hello(Self.identity(Self.known), Self.known)
    var end = try Self.end(seen)
    end.receive(hello)
    #expect(!end.channel.takeOutput().isEmpty)
    for _ in 0..<5 {
      var stranger = try Self.end(seen)
      stranger.receive(try Self.hello(Self.identity(ChannelPair.epoch(9)), ChannelPair.epoch(9)))
      #expect(stranger.error != nil)
    }
    var again = try Self.end(seen)
    again.receive(hello)
    #expect(again.error != nil && again.channel.takeOutput() == [])
  }

  @Test(arguments: [
    Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8), [0x16, 3, 1, 0xFF, 0xFF], [UInt8](repeating: 0, count: 64),
    [0x16, 3, 1, 0, 4, 1, 0, 0, 0], [0x80, 0x2E, 1, 0, 2], [0x17, 3, 3, 0, 1, 0], [0x15, 3, 3, 0, 2, 2, 40],
    [0x14, 3, 3, 0, 1, 1],
  ])
  func `bytes that are no hello get nothing`(bytes: [UInt8]) throws {
    var end = try Self.end()
    end.receive(bytes)
    #expect(end.channel.takeOutput() == [])
    #expect(!end.channel.isEstablished)
  }

  @Test func `a hello with one byte altered gets nothing, whichever it is`() throws {
    let hello = try Self.hello(Self.identity(Self.known), Self.known)
    for index in hello.indices {
      var altered = hello
      altered[index] ^= 0x40
      var end = try Self.end()
      end.receive(altered)
      // A version in a header means nothing; a longer length waits for more.
      guard !(1...2).contains(index) else { continue }
      #expect(end.channel.takeOutput() == [], "byte \(index) of \(hello.count)")
    }
  }

  @Test func `whoever sends on without shaking hands is cut off`() throws {
    // Records that mean nothing and are never too many for TLS itself.
    let filler: [UInt8] = [0x16, 3, 1, 0x40, 0]
    var end = try Self.end()
    var count = 0
    end.receive(filler)
    while end.error == nil, count < 1 << 20 {
      end.receive([UInt8](repeating: 0, count: 512))
      count += 512
      #expect(end.channel.heldBytes <= TLSChannel.handshakeBytes)
    }
    #expect(end.error != nil)
    #expect(count <= TLSChannel.handshakeBytes)
    #expect(end.channel.takeOutput() == [])
  }

  @Test func `the end that dials trusts nobody without the key`() throws {
    // The same identity is known to the other end, under another key.
    let identity = Self.identity(Self.known)
    var client = TestEnd(try TLSChannel(identity: identity, key: ChannelPair.epoch(9).preSharedKey))
    var server = try Self.end()
    server.receive(client.takeOutput())
    client.receive(server.takeOutput())
    #expect(!client.channel.isEstablished && !server.channel.isEstablished)
  }

  @Test func `the secrets of a connection are logged nowhere`() async {
    // In a process of its own: the library reads its environment once.
    await #expect(processExitsWith: .success) {
      let path = "/tmp/offlinetree-secrets-\(getpid())"
      unsafe setenv("SSLKEYLOGFILE", path, 1)
      var pair = try ChannelPair()
      pair.carry()
      #expect(pair.server.channel.isEstablished)
      #expect(FileSystem.look(at: path) == nil)
      unsafe unlink(path)
    }
  }
}
