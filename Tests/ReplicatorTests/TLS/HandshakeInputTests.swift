import OfflineTree
import TestSupport
import Testing

@testable import Replicator

@Suite struct HandshakeInputTests {
  @Test func `any bytes can be read before a proof`() throws {
    let input = HandshakeInput(ChannelPair.epoch(1))
    var random = SeededRandom(seed: 12)
    let hello = try TLSChannel(offering: ChannelPair.epoch(1), nonce: ChannelPair.nonce()).takeOutput()
    for number in 0..<2_000 {
      var bytes = number % 2 == 0 ? hello : [UInt8](repeating: UInt8(number % 251), count: number % 300)
      for _ in 0..<number % 7 where !bytes.isEmpty {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      input.read([UInt8(number % 4)] + bytes)
    }
  }
}
