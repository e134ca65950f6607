/// A replica's whole state at a clock, in bytes that are the same on every replica with that clock, whatever it dropped.
///
/// The layout is in docs/format.md. The bytes are cut into pieces, which are compressed and hashed one by one.
package struct Checkpoint: Equatable, Sendable {
  /// Of the whole: H32 of the hashes of its pieces.
  package let hash: Bytes32
  /// Of the clock at which it was made.
  package let clockDigest: Bytes32
  /// Bytes of all pieces when they are opened.
  package let byteCount: Int
  /// zstd frames, in order.
  package let pieces: CheckpointPieces

  /// Bytes of an opened piece; the last one may have fewer.
  package static let pieceBytes = 1 << 20
  /// Compressed bytes of all pieces: they may be held in memory.
  package static let maximumBytes = 256 << 20
  /// Pieces of one checkpoint.
  package static let maximumPieces = 1 << 14
  /// Opened bytes of one record: a change and what stands around it, or what stays of a block.
  static let recordBytes = Limits.segmentBytes + 1 << 20
  static let version = ControlOperation.Attestation.format

  package init(hash: Bytes32, clockDigest: Bytes32, byteCount: Int, pieces: [[UInt8]]) {
    self.init(hash: hash, clockDigest: clockDigest, byteCount: byteCount, pieces: CheckpointPieces(pieces))
  }

  package init(hash: Bytes32, clockDigest: Bytes32, byteCount: Int, pieces: CheckpointPieces) {
    (self.hash, self.clockDigest, self.byteCount, self.pieces) = (hash, clockDigest, byteCount, pieces)
  }

  /// The act by which a device vouches for it.
  var attestation: ControlOperation {
    .attest(ControlOperation.Attestation(checkpoint: hash, clockDigest: clockDigest))
  }

  package static func hash(ofPieces hashes: [UInt8]) -> Bytes32 {
    Sodium.hash32(Array("OT checkpoint 1".utf8) + hashes)
  }

  /// Do the pieces have as many bytes as they are said to, within the limits?
  var isWithinLimits: Bool {
    // Before anything is added to it: it may be any number.
    guard byteCount <= Checkpoint.maximumPieces * Checkpoint.pieceBytes else { return false }
    let count = (byteCount + Checkpoint.pieceBytes - 1) / Checkpoint.pieceBytes
    return byteCount > 0 && count == pieces.count && count <= Checkpoint.maximumPieces
      && pieces.byteCount <= Checkpoint.maximumBytes
  }

  /// Opened bytes of the piece at a place.
  func openedBytes(of piece: Int) -> Int {
    piece == pieces.count - 1 ? byteCount - piece * Checkpoint.pieceBytes : Checkpoint.pieceBytes
  }
}

/// What a record of a checkpoint is. Their numbers are part of the format, and their order is that of the bytes.
enum CheckpointRecord: UInt8 {
  case header = 1
  case genesis = 2
  case log = 3
  /// The log of which the records that follow tell.
  case history = 4
  case gap = 5
  case bodies = 6
  case context = 7
  case void = 8
  case control = 9
  case frontier = 10
  case rival = 11
  case register = 12
  case version = 13
  case part = 14
  case voter = 15
  case priority = 16
  case end = 17
  /// Stands before the end. Where there is none, a program that does not know files reads the checkpoint as well.
  case file = 18
}
