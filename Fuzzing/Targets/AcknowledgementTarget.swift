import OfflineTree
import Replicator

extension FuzzTarget {
  /// The bytes of an acknowledgement's file, or what a holder of the key seals in one.
  static let acknowledgement = FuzzTarget(
    name: "acknowledgement", maximumBytes: 4_096,
    memory: { 64 * $0 + 65_536 },
    seeds: {
      [0, 3].flatMap { count -> [Seed] in
        let file = acknowledgement(positions: count).sealed(FuzzSpace.epoch, random: FuzzSpace.random)
        return [
          Seed("file-of-\(count)", [0] + file),
          Seed("body-of-\(count)", [1] + body(acknowledgement(positions: count))),
        ]
      }
    },
    run: { input throws(FuzzFailure) in
      var input = FuzzInput(input)
      let isBody = input.choice() & 1 == 1
      let file = isBody ? SeedRuns.sealAcknowledgement(Array(input.rest)) : Array(input.rest)
      guard let read = opened(file) else { return }
      let again = read.sealed(FuzzSpace.epoch, random: FuzzSpace.random)
      try require(again.count == file.count, "an acknowledgement was read that nobody writes so")
      guard let other = opened(again) else { throw FuzzFailure("an acknowledgement does not read what it writes") }
      try require(
        other.peer == read.peer && other.clock == read.clock && other.counter == read.counter
          && other.wallTime == read.wallTime && other.peer.name.utf8.elementsEqual(read.peer.name.utf8),
        "an acknowledgement does not read what it writes")
    })

  private static func opened(_ file: [UInt8]) -> Acknowledgement? {
    attempt { () throws(TreeError) in try Acknowledgement(opening: file, known: FuzzSpace.known) }
  }

  private static func acknowledgement(positions count: Int) -> Acknowledgement {
    Acknowledgement(peer: SeedMessages.peer, counter: 5, wallTime: 1_700_000_000_000, clock: SeedMessages.clock(count))
  }

  private static func body(_ acknowledgement: Acknowledgement) -> [UInt8] {
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
    let bytes = writer.bytes
    return bytes + repeatElement(0, count: Padding.paddedCount(bytes.count) - bytes.count)
  }
}
