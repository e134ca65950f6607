import OfflineTree

@testable import Replicator

/// One end of TLS in memory.
struct TestEnd {
  let channel: TLSChannel
  var plain: [UInt8] = []
  var error: TreeError?
  /// Bytes that it sent, in all.
  var sentCount = 0

  init(_ channel: TLSChannel) { self.channel = channel }

  mutating func receive(_ bytes: some Sequence<UInt8>) {
    guard error == nil else { return }
    var arrived: [UInt8] = []
    do throws(TreeError) {
      try channel.received(Array(bytes)[...]) { (piece) throws(TreeError) in arrived += piece }
    } catch {
      self.error = error
    }
    plain += arrived
  }

  /// Whoever failed sends nothing any more: the driver closes.
  mutating func takeOutput() -> [UInt8] {
    let bytes = error == nil ? channel.takeOutput() : []
    sentCount += bytes.count
    return bytes
  }
}

/// Two ends of TLS, and what is on its way between them.
struct ChannelPair {
  static let space = SpaceID([UInt8](repeating: 7, count: 32))
  var client: TestEnd
  var server: TestEnd

  static func epoch(_ number: UInt8, space: SpaceID = ChannelPair.space) -> EpochKeys {
    var key = [UInt8](repeating: number, count: 32)
    return EpochKeys(Secret(&key), space: space)
  }

  static func nonce() -> Bytes16 { Bytes16(Sodium.randomBytes(16)) }

  init(
    offering epoch: EpochKeys = ChannelPair.epoch(1), accepting epochs: [EpochKeys] = [ChannelPair.epoch(1)],
    seen: NonceMemory = NonceMemory()
  ) throws {
    client = TestEnd(try TLSChannel(offering: epoch, nonce: Self.nonce()))
    server = TestEnd(try TLSChannel(accepting: TLSKeyring(epochs, seen: seen)))
  }

  /// Carries bytes, in pieces of at most `piece`, until none are left; all that the ends sent, by direction.
  @discardableResult
  mutating func carry(piece: Int = .max) -> (toServer: [UInt8], toClient: [UInt8]) {
    var (up, down): ([UInt8], [UInt8]) = ([], [])
    while true {
      let (toServer, toClient) = (client.takeOutput(), server.takeOutput())
      if toServer.isEmpty, toClient.isEmpty { return (up, down) }
      up += toServer
      down += toClient
      for part in Self.pieces(of: toServer, piece) { server.receive(part) }
      for part in Self.pieces(of: toClient, piece) { client.receive(part) }
    }
  }

  private static func pieces(of bytes: [UInt8], _ count: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: bytes.count, by: min(count, max(bytes.count, 1))).map { bytes[$0...].prefix(count) }
  }
}
