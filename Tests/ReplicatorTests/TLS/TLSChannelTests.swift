import OfflineTree
import Testing

@testable import Replicator

@Suite struct TLSChannelTests {
  @Test(arguments: [1, 2, 3, 5, 7, 16, 100, 1_000, .max / 2])
  func `two ends with one key agree however their bytes are cut`(piece: Int) throws {
    var pair = try ChannelPair()
    pair.carry(piece: piece)
    #expect(pair.client.error == nil && pair.server.error == nil)
    #expect(pair.client.channel.isEstablished && pair.server.channel.isEstablished)
    let text = Array("from one to the other".utf8)
    try pair.client.channel.send(text[...])
    try pair.server.channel.send((text + text)[...])
    pair.carry(piece: piece)
    #expect(pair.server.plain == text)
    #expect(pair.client.plain == text + text)
    #expect(pair.client.channel.heldBytes == 0 && pair.server.channel.heldBytes == 0)
  }

  @Test(arguments: [1, 16_384, 16_385, 40_000, 1_000_000])
  func `what is longer than a record comes whole`(count: Int) throws {
    var pair = try ChannelPair()
    pair.carry()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try pair.client.channel.send(bytes[...])
    let sent = pair.carry().toServer
    #expect(pair.server.plain == bytes)
    #expect(sent.count > count)
  }

  @Test func `both ends export one secret, and each connection another`() throws {
    var secrets: [Bytes32] = []
    for _ in 0..<3 {
      var pair = try ChannelPair()
      pair.carry()
      let secret = try pair.client.channel.exported(for: ChannelPair.space)
      #expect(try pair.server.channel.exported(for: ChannelPair.space) == secret)
      #expect(try pair.server.channel.exported(for: .zero) != secret)
      secrets.append(secret)
    }
    #expect(Set(secrets).count == 3)
  }

  @Test(arguments: 1...3)
  func `a listener finds the epoch that is offered among those that it knows`(number: UInt8) throws {
    let epochs = (1...3).map { ChannelPair.epoch($0) }
    var pair = try ChannelPair(offering: ChannelPair.epoch(number), accepting: epochs)
    pair.carry()
    #expect(pair.client.channel.isEstablished && pair.server.channel.isEstablished)
  }

  @Test func `no altered byte changes what is read`() throws {
    let text = Array("0123456789".utf8)
    var (length, index) = (1, 0)
    while index < length {
      var pair = try ChannelPair()
      pair.carry()
      try pair.client.channel.send(text[...])
      var record = pair.client.takeOutput()
      length = record.count
      record[index] ^= 1
      pair.server.receive(record)
      if index < 5 {
        // Of the header only the length means anything; a record that claims to be longer waits for its rest.
        #expect(pair.server.plain == [] || pair.server.plain == text, "byte \(index)")
      } else {
        #expect(pair.server.error?.code == .damaged && pair.server.plain == [], "byte \(index)")
      }
      index += 1
    }
    #expect(length == text.count + 22)
  }

  @Test func `identities have nothing in common that a stranger could see`() throws {
    let (first, second) = (ChannelPair.epoch(1), ChannelPair.epoch(2))
    let nonce = ChannelPair.nonce()
    let identity = TLSIdentity(first, nonce: nonce)
    #expect(identity.bytes.count == TLSIdentity.byteCount)
    #expect(identity.isOf(first) && !identity.isOf(second))
    let other = TLSIdentity(first, nonce: ChannelPair.nonce())
    let same = zip(identity.bytes, other.bytes).dropFirst().count { $0.0 == $0.1 }
    #expect(same < 8)
    #expect(TLSIdentity(identity.bytes) == identity)
    for count in [0, 1, 32, 34] { #expect(TLSIdentity([UInt8](repeating: 1, count: count)) == nil) }
    #expect(TLSIdentity([2] + identity.bytes.dropFirst()) == nil)
  }

  @Test func `the memory of nonces forgets the oldest, and no other`() {
    let memory = NonceMemory(capacity: 3)
    let nonces = (0..<5).map { Bytes16([UInt8](repeating: $0, count: 16)) }
    #expect(nonces[..<3].allSatisfy { memory.isNew($0) })
    #expect(nonces[..<3].allSatisfy { !memory.isNew($0) })
    #expect(memory.isNew(nonces[3]))
    #expect(!memory.isNew(nonces[1]) && !memory.isNew(nonces[2]) && !memory.isNew(nonces[3]))
    #expect(memory.isNew(nonces[0]))
    #expect(memory.isNew(nonces[1]))
    #expect(memory.count == 3)
  }
}
