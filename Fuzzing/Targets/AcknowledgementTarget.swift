import OfflineTree
import Replicator

extension FuzzTarget {
  /// The bytes of an acknowledgement's file, or what a device that holds the key says in one.
  static let acknowledgement = FuzzTarget(
    name: "acknowledgement", maximumBytes: 4_096,
    memory: { 64 * $0 + 65_536 },
    seeds: {
      [0, 3].flatMap { count -> [Seed] in
        let file = sealed(acknowledgement(positions: count))
        return [
          Seed("file-of-\(count)", [0] + file),
          Seed("body-of-\(count)", [1] + said(acknowledgement(positions: count))),
          Seed("state-of-\(count)", [3] + said(acknowledgement(positions: count)) + (0..<16)),
        ]
      }
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      // Bit 0: what is said, not a file; bit 1: in the version that has a state hash.
      let choice = input.choice()
      let file =
        choice & 1 == 1 ? sealed(said: Array(input.rest), version: 1 + (choice >> 1 & 1)) : Array(input.rest)
      guard let read = opened(file) else { return }
      try require(read.peer.deviceKey == FuzzSpace.client.publicKey, "an acknowledgement names who did not sign it")
      let again = sealed(read)
      try require(again.count == file.count, "an acknowledgement was read that nobody writes so")
      guard let other = opened(again) else { throw FuzzFailure("an acknowledgement does not read what it writes") }
      try require(
        other.peer == read.peer && other.clock == read.clock && other.counter == read.counter
          && other.wallTime == read.wallTime && other.state == read.state
          && other.peer.name.utf8.elementsEqual(read.peer.name.utf8),
        "an acknowledgement does not read what it writes")
    })

  private static func opened(_ file: [UInt8]) -> Acknowledgement? {
    attempt { () throws(TreeError) in try Acknowledgement(opening: file, known: FuzzSpace.known) }
  }

  private static func sealed(_ acknowledgement: Acknowledgement) -> [UInt8] {
    acknowledgement.sealed(FuzzSpace.epoch, random: FuzzSpace.random, sign: sign)
  }

  /// The file in which the client's device says this, which names that device and is signed, whatever it is.
  private static func sealed(said: [UInt8], version: UInt8) -> [UInt8] {
    var said = said
    if said.count >= 48 { said.replaceSubrange(16..<48, with: FuzzSpace.client.publicKey.bytes) }
    let body = said + sign(Sodium.hash32(said).bytes).bytes
    let padded = body + repeatElement(0, count: Padding.paddedCount(body.count) - body.count)
    return SeedRuns.sealAcknowledgement(padded, version: version)
  }

  private static func sign(_ content: [UInt8]) -> Signature {
    FuzzSpace.client.sign(SignaturePurpose.acknowledge.message(FuzzSpace.space, content))
  }

  private static func acknowledgement(positions count: Int) -> Acknowledgement {
    Acknowledgement(peer: SeedMessages.peer, counter: 5, wallTime: 1_700_000_000_000, clock: SeedMessages.clock(count))
  }

  private static func said(_ acknowledgement: Acknowledgement) -> [UInt8] {
    var writer = ByteWriter()
    writer.append(acknowledgement.peer.homeToken)
    writer.append(acknowledgement.peer.deviceKey)
    writer.u64(acknowledgement.counter)
    writer.u64(UInt64(bitPattern: acknowledgement.wallTime))
    writer.prefixed(acknowledgement.peer.name)
    writer.varint(acknowledgement.clock.positions.count)
    for position in acknowledgement.clock.positions {
      writer.append(position.log)
      writer.u64(position.seq)
      writer.append(position.hash)
    }
    return writer.bytes
  }
}
