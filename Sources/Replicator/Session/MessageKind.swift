import OfflineTree

/// The type byte of a frame, and how long its body may be.
package enum MessageKind: UInt8, Sendable, CaseIterable {
  case hello = 1
  case clock, segment, samples, acknowledge, ping, goodbye, want, history, ask, offer, piece, question, sums
  case wish, chunk, have

  /// The largest body, in bytes.
  package var limit: Int {
    switch self {
    case .hello, .goodbye: 1_024
    case .clock, .samples, .acknowledge: 4 << 20
    case .segment: Limits.segmentBytes + 1_024
    case .ping: 0
    case .want, .wish: 8_192
    case .have: 33_000
    case .chunk: Chunk.formBytes + 64
    case .ask: 1
    case .question: 4_096
    case .sums: 128 << 10
    case .offer: 4 << 20
    case .piece: ProtocolLimits.pieceBytes
    case .history: Limits.segmentBytes + 8_192
    }
  }
}

/// The bounds of the protocol that are not bounds of the data.
package enum ProtocolLimits {
  /// Positions in a clock, in samples, in an acknowledgement.
  package static let positions = 65_536
  /// Bytes of segments on the way before the sender waits for an acknowledgement.
  package static let windowBytes = 16 << 20
  /// Bytes that one end holds for the other, unhandled or unsent, before it gives up.
  package static let heldBytes = 64 << 20
  /// Gaps that are asked for at a time.
  package static let gaps = 64
  /// Nanoseconds until a peer that did not have a gap is asked for it again.
  package static let askAgain: UInt64 = 600_000_000_000
  /// Chunks that are asked for at a time: a window's bytes.
  package static let chunks = 32
  /// Chunks in one word that they are here now.
  package static let chunksInWord = 1_024
  /// Chunks of which is remembered that the other end lacks them.
  package static let absentChunks = 65_536
  /// Nanoseconds until it is looked again for chunks that another session asks for.
  package static let lookAgain: UInt64 = 1_000_000_000
  /// Questions of its state that one end answers in a session: each looks at everything.
  package static let stateQuestions = StateComparison.questions
  /// What a message costs beside its body when held bytes are counted.
  package static let messageOverhead = 128
  /// Bytes of changes asked of the database at a time.
  package static let pieceBytes = 1 << 20

  /// Nanoseconds for the handshake of TLS, and then for the device proof.
  package static let handshakeDeadline: UInt64 = 5_000_000_000
  package static let proofDeadline: UInt64 = 5_000_000_000
  /// Nanoseconds that a device may stay whom a newcomer cannot judge.
  package static let unjudged: UInt64 = 600_000_000_000
  /// Bytes that come behind a proof and are kept until it is judged.
  package static let earlyBytes = 8_192
  /// Bytes of a newcomer's claim.
  package static let claimBytes = 1_024

  /// Nanoseconds until a hello has to be there.
  package static let helloDeadline: UInt64 = 5_000_000_000
  /// Nanoseconds without a sent message until a ping is due.
  package static let pingInterval: UInt64 = 20_000_000_000
  /// Nanoseconds without a received message until the other end counts as dead.
  package static let silence: UInt64 = 60_000_000_000
  /// Nanoseconds without anything but pings until an exchange that is to end by itself is given up.
  package static let stall: UInt64 = 120_000_000_000
  /// Nanoseconds between two clocks with positions that a standing difference makes an end send.
  package static let repeatInterval: UInt64 = 30_000_000_000
}
