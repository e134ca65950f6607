import OfflineTree
import Replicator

/// One message of each kind, as the other end of a session would say them.
enum SeedMessages {
  static let peer = PeerIdentity(
    deviceKey: FuzzSpace.client.publicKey, name: "phone", homeToken: Bytes16(repeatElement(1, count: 16)))
  static let own = PeerIdentity(
    deviceKey: FuzzSpace.server.publicKey, name: "laptop", homeToken: Bytes16(repeatElement(2, count: 16)))

  static let hello = Message.hello(
    Hello(
      space: FuzzSpace.space, deviceKey: peer.deviceKey, homeToken: peer.homeToken, wallTime: 1_700_000_000_000,
      deviceName: peer.name))
  static let goodbye = Message.goodbye(Goodbye(.failed, "its disk is full"))
  static let segment = Message.segment(
    seedBytes { () throws(TreeError) in try Segment.encode(SeedRuns.all[0].run, space: FuzzSpace.space) })

  static let all: [Message] = [
    hello, .clock(digest: clock(2).digest, nil), .clock(digest: clock(2).digest, clock(2)), segment,
    .samples(Samples(log: FuzzSpace.log, isAnswer: false, positions: clock(2).positions)),
    .samples(Samples(log: FuzzSpace.log, isAnswer: true, positions: clock(1).positions)),
    acknowledge(sent: 3, handled: 0, isQuiet: false), acknowledge(sent: 3, handled: 0, isQuiet: true), .ping,
    .want([gap]), .history(HistoryAnswer(to: gap, bodies: nil)),
    .history(HistoryAnswer(to: gap, bodies: [[1], [2, 3]])),
    .ask(true), .offer(CheckpointOffer(byteCount: 5, floors: clock(2).positions)), .piece([1, 2, 3, 4, 5]),
    .question(.buckets), .question(.parts(bucket: 7, from: [3, 97], end: [3, 98])),
    .sums(.parts([StateComparison.Part(first: [3, 97, 1], count: 2, sum: 1 << 90)])), goodbye,
  ]

  private static let gap = HistoryGap(log: FuzzSpace.log, first: 4, last: 5, hashBefore: .zero, head: .zero)

  /// A device that wants to hear about a fork, with `clock(1)` at this end.
  static let fork: [Message] = [
    hello, .clock(digest: clock(2).digest, nil), .clock(digest: clock(2).digest, clock(2)),
    .samples(Samples(log: FuzzSpace.log, isAnswer: false, positions: clock(1).positions)),
    .samples(Samples(log: FuzzSpace.log, isAnswer: true, positions: clock(1).positions)), segment, segment,
  ]

  private static func acknowledge(sent: UInt64, handled: UInt64, isQuiet: Bool) -> Message {
    .acknowledge(
      SessionAcknowledgement(
        digest: clock(1).digest, sent: sent, handled: handled, handledBytes: 0, isQuiet: isQuiet, wallTime: 1,
        changed: clock(1).positions))
  }

  /// A clock of so many positions of one log: it has forked, if they are more than one.
  static func clock(_ count: Int) -> VectorClock {
    VectorClock(
      (0..<count).map { number in
        LogPosition(log: FuzzSpace.log, seq: 300, hash: Bytes32(repeatElement(UInt8(number), count: 32)))
      })
  }

  static func bytes(_ messages: [Message]) -> [UInt8] {
    messages.flatMap { message in seedBytes { () throws(TreeError) in try message.frame() } }
  }
}
