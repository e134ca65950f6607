package import OfflineTree

/// What one end says to the other. `docs/protocol.md` has the bytes and the rules.
package enum Message: Equatable, Sendable {
  case hello(Hello)
  /// The digest of the sender's clock, and its positions once digests were found to differ.
  case clock(digest: Bytes32, VectorClock?)
  /// The bytes of one segment.
  case segment([UInt8])
  case samples(Samples)
  case acknowledge(SessionAcknowledgement)
  case ping
  case goodbye(Goodbye)
  /// What the sender dropped and needs, oldest first.
  case want([HistoryGap])
  case history(HistoryAnswer)
  /// Where equal clocks show different trees: what the sender would like to know, and what it is told.
  case question(StateComparison.Question)
  case sums(StateComparison.Answer)
  /// Of an end that has nothing: would it like to begin with a checkpoint?
  case ask(Bool)
  case offer(CheckpointOffer)
  /// Bytes of the checkpoint that was offered.
  case piece([UInt8])
  /// Chunks of files that the sender would like to have.
  case wish([Bytes32])
  case chunk(ChunkAnswer)
  /// Chunks that the sender was asked for before, and has now.
  case have([Bytes32])

  /// Content is counted by both ends and handled in its order.
  package var isContent: Bool {
    switch self {
    case .segment, .samples, .want, .history, .ask, .offer, .piece, .wish, .chunk, .have, .clock(_, .some): true
    default: false
    }
  }
}

/// Who speaks, and about which space.
package struct Hello: Equatable, Sendable {
  package static let magic = Array("OTrP".utf8)
  package static let version: UInt16 = 3

  package var space: SpaceID
  package var deviceKey: Bytes32
  package var homeToken: Bytes16
  /// Milliseconds since 1970 by the sender's clock.
  package var wallTime: Int64
  /// For people only; compared by nobody.
  package var deviceName: String

  package init(space: SpaceID, deviceKey: Bytes32, homeToken: Bytes16, wallTime: Int64, deviceName: String) {
    self.space = space
    self.deviceKey = deviceKey
    self.homeToken = homeToken
    self.wallTime = wallTime
    self.deviceName = deviceName
  }
}

/// Positions of one log from which the other end finds what both have.
package struct Samples: Equatable, Sendable {
  package var log: LogID
  /// False asks for the other's samples in return.
  package var isAnswer: Bool
  package var positions: [LogPosition]

  package init(log: LogID, isAnswer: Bool, positions: [LogPosition]) {
    self.log = log
    self.isAnswer = isAnswer
    self.positions = positions.sorted()
  }
}

/// What the sender has, durably, and how far it has got with what it was sent.
package struct SessionAcknowledgement: Equatable, Sendable {
  /// Of the sender's clock.
  package var digest: Bytes32
  /// Content messages sent.
  package var sent: UInt64
  /// Content messages handled.
  package var handled: UInt64
  /// Bytes of segments handled.
  package var handledBytes: UInt64
  /// Everything is handled and there is nothing to send.
  package var isQuiet: Bool
  package var wallTime: Int64
  /// The sender's state hash, if it is quiet and knows it for that digest, else zero.
  package var state: Bytes16
  /// All branches of every log that changed since the sender last told.
  package var changed: [LogPosition]

  package init(
    digest: Bytes32, sent: UInt64, handled: UInt64, handledBytes: UInt64, isQuiet: Bool, wallTime: Int64,
    state: Bytes16 = .zero, changed: [LogPosition]
  ) {
    (self.digest, self.isQuiet, self.wallTime, self.changed) = (digest, isQuiet, wallTime, changed)
    (self.sent, self.handled, self.handledBytes, self.state) = (sent, handled, handledBytes, state)
  }
}

/// The last message of a connection.
package struct Goodbye: Equatable, Sendable {
  package enum Reason: UInt8, Sendable, CaseIterable {
    case done, closing, version, space, oneself, malformed, busy, failed
  }

  package static let textBytes = 768

  package var reason: Reason
  package var text: String

  package init(_ reason: Reason, _ text: String = "") {
    self.reason = reason
    self.text = text
  }
}
