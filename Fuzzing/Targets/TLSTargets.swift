import OfflineTree
import Replicator

extension FuzzTarget {
  /// What a stranger, or somebody with the key, sends to the end that listens.
  static let tlsServer = FuzzTarget(
    name: "tls-server", maximumBytes: 12_288,
    memory: { 64 * $0 + (1 << 20) },
    seeds: {
      let hello = TLSPair()?.client.takeOutput() ?? []
      return [Seed("hello", [0] + hello, isRepeatable: false), Seed("http", Array("0GET / HTTP/1.1\r\n\r\n".utf8))]
    },
    run: { input throws(FuzzFailure) in
      guard let pair = TLSPair() else { throw FuzzFailure("TLS cannot start") }
      var end = TLSEnd(pair.server)
      try end.receive(input)
      try require(!end.channel.isEstablished, "a stranger got in")
    })

  /// What the end that dials is answered.
  static let tlsClient = FuzzTarget(
    name: "tls-client", maximumBytes: 12_288,
    memory: { 64 * $0 + (1 << 20) },
    seeds: {
      guard let pair = TLSPair() else { return [] }
      var server = TLSEnd(pair.server)
      _ = attempt { () throws(TreeError) in try server.channel.received(pair.client.takeOutput()[...]) { _ in } }
      return [
        Seed("answer", [0] + server.channel.takeOutput(), isRepeatable: false),
        Seed("alert", [0, 21, 3, 3, 0, 2, 2, 40]),
      ]
    },
    run: { input throws(FuzzFailure) in
      guard let pair = TLSPair() else { throw FuzzFailure("TLS cannot start") }
      var end = TLSEnd(pair.client)
      try end.receive(input)
      try require(!end.channel.isEstablished, "somebody without the key was believed")
    })

  /// Two ends with somebody between them who changes, drops, repeats and cuts what they send.
  static let tlsPair = FuzzTarget(
    name: "tls-pair", maximumBytes: 256,
    memory: { 1_024 * $0 + (2 << 20) },
    seeds: {
      [
        Seed("nothing", [0, 0]), Seed("byte-by-byte", [1, 0]), Seed("flip-hello", [0, 1, 1, 60, 0]),
        Seed("flip-data", [0, 0, 0, 1, 5, 0]), Seed("drop", [2, 0, 2, 3, 0]), Seed("repeat", [0, 0, 0, 0, 3, 3, 0]),
      ]
    },
    run: { input throws(FuzzFailure) in
      guard let pair = TLSPair() else { throw FuzzFailure("TLS cannot start") }
      var tampering = Tampering(input)
      try tampering.run(pair)
    })
}

/// Two ends that share a key, before they have said anything to each other.
struct TLSPair {
  let client: TLSChannel
  let server: TLSChannel

  init?() {
    let pair = attempt { () throws(TreeError) in
      (
        try TLSChannel(offering: FuzzSpace.epoch, nonce: Bytes16(repeatElement(4, count: 16))),
        try TLSChannel(accepting: TLSKeyring([FuzzSpace.epoch], seen: NonceMemory(capacity: 4)))
      )
    }
    guard let pair else { return nil }
    (client, server) = pair
  }
}

/// One end, and what it was told.
struct TLSEnd {
  let channel: TLSChannel
  private(set) var plain: [UInt8] = []
  private(set) var hasFailed = false

  init(_ channel: TLSChannel) { self.channel = channel }

  /// The bytes of an input that begins with how it is cut.
  mutating func receive(_ input: [UInt8]) throws(FuzzFailure) {
    var input = FuzzInput(input)
    let cuts = input.choice()
    for piece in input.pieces(cuts) { try receive(piece) }
  }

  mutating func receive(_ piece: ArraySlice<UInt8>) throws(FuzzFailure) {
    if hasFailed { return }
    var told: [UInt8] = []
    let result: Void? = attempt { () throws(TreeError) in try channel.received(piece) { told += $0 } }
    if result == nil { hasFailed = true }
    plain += told
    let limit = channel.isEstablished ? 20_480 : TLSChannel.handshakeBytes
    try require(channel.heldBytes <= limit, "\(channel.heldBytes) bytes of an unfinished record are held")
  }

  /// Whoever failed sends nothing any more.
  func takeOutput() -> [UInt8] { hasFailed ? [] : channel.takeOutput() }
}

extension FuzzTarget {
  /// Does a kept input of `tls-server` get behind the check of its key? Its bytes cannot be made again.
  package static func isAnswered(_ input: [UInt8]) -> Bool {
    guard let pair = TLSPair() else { return false }
    var end = TLSEnd(pair.server)
    let result: Void? = try? end.receive(input)
    return result != nil && !end.takeOutput().isEmpty
  }
}
