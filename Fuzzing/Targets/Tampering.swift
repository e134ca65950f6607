import OfflineTree
import Replicator

/// Somebody between two ends, who does to each flight what an input says: cuts, then for each flight a number of acts.
struct Tampering {
  private var input: FuzzInput
  private let cuts: UInt8
  private var hasTampered = false
  private static let words = Array("What the ends say to each other.".utf8)

  init(_ bytes: [UInt8]) {
    input = FuzzInput(bytes)
    cuts = input.choice()
  }

  mutating func run(_ pair: TLSPair) throws(FuzzFailure) {
    var (client, server) = (TLSEnd(pair.client), TLSEnd(pair.server))
    try carry(&client, &server)
    try require(
      client.channel.isEstablished && server.channel.isEstablished || hasTampered, "two ends do not come together")
    if client.channel.isEstablished, server.channel.isEstablished {
      let secrets = [client, server].map { end in
        attempt { () throws(TreeError) in try end.channel.exported(for: FuzzSpace.space) }
      }
      try require(secrets[0] != nil && secrets[0] == secrets[1], "two ends have not the same secret")
    }
    for end in [client, server] where end.channel.isEstablished && !end.hasFailed {
      let result: Void? = attempt { () throws(TreeError) in try end.channel.send(Self.words[...]) }
      try require(result != nil, "an end cannot send")
    }
    try carry(&client, &server)
    for end in [client, server] {
      try require(end.plain.isEmpty || end.plain == Self.words, "an end was told what the other did not say")
      try require(end.plain == Self.words || hasTampered, "an end was not told what the other said")
    }
  }

  private mutating func carry(_ client: inout TLSEnd, _ server: inout TLSEnd) throws(FuzzFailure) {
    while true {
      let (up, down) = (client.takeOutput(), server.takeOutput())
      if up.isEmpty, down.isEmpty { return }
      for piece in FuzzInput(tampered(up)).pieces(cuts) { try server.receive(piece) }
      for piece in FuzzInput(tampered(down)).pieces(cuts) { try client.receive(piece) }
    }
  }

  /// A flight as it arrives.
  private mutating func tampered(_ flight: [UInt8]) -> [UInt8] {
    if flight.isEmpty { return [] }
    let original = flight
    var flight = flight
    for _ in 0..<(input.byte() & 3) {
      let (act, place) = (input.byte(), Int(input.byte()) | Int(input.byte()) << 8)
      let index = place % max(flight.count, 1)
      switch act % 4 {
      case 0: if !flight.isEmpty { flight.removeLast(flight.count - index) }
      case 1: if !flight.isEmpty { flight[index] ^= max(1, act) }
      case 2: if !flight.isEmpty { flight.remove(at: index) }
      default: flight.insert(act, at: index)
      }
    }
    if flight != original { hasTampered = true }
    return flight
  }
}
