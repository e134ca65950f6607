/// A checkpoint with what a newcomer needs to take it: proof that the founder's device vouches for it, and signatures by
/// which it can hand on what it gets.
package struct CheckpointBundle: Equatable, Sendable {
  /// What a device has signed of one of its logs.
  package struct SignedHead: Equatable, Sendable {
    package let position: LogPosition
    package let signature: Signature

    package init(position: LogPosition, signature: Signature) {
      (self.position, self.signature) = (position, signature)
    }
  }

  package let checkpoint: Checkpoint
  /// Changes of the attesting device, right behind those in the checkpoint, of which one attests it; signed.
  package let proof: ChangeRun
  package let heads: CheckpointHeads

  package static let maximumHeads = 1 << 20
  /// Bytes of the opened checkpoint that there are at least for each head: one goes along for each block of a log, and a block
  /// is a record there with a hash.
  private static let bytesPerHead = 32
  /// Bytes of the changes in a proof.
  package static let proofBytes = 1 << 20

  package init(checkpoint: Checkpoint, proof: ChangeRun, heads: [SignedHead]) {
    self.init(checkpoint: checkpoint, proof: proof, heads: CheckpointHeads(heads))
  }

  init(checkpoint: Checkpoint, proof: ChangeRun, heads: CheckpointHeads) {
    (self.checkpoint, self.proof, self.heads) = (checkpoint, proof, heads)
  }

  /// Heads that a checkpoint of so many opened bytes has at most.
  static func maximumHeads(ofBytes count: Int) -> Int { min(maximumHeads, count / bytesPerHead) }
}

extension CheckpointBundle {
  /// As it is kept in the home and sent; of one that is in memory.
  package var encoded: [UInt8] {
    let pieces = checkpoint.pieces
    var writer = ByteWriter(capacity: 4_096 + pieces.byteCount + 5 * pieces.count + 130 * heads.count)
    writer.append(Self.magic)
    writer.u8(Checkpoint.version)
    encodeProof(to: &writer)
    writer.append(checkpoint.hash)
    writer.append(checkpoint.clockDigest)
    writer.varint(checkpoint.byteCount)
    writer.varint(pieces.count)
    for piece in pieces.inMemory { writer.prefixed(piece) }
    writer.varint(heads.count)
    for head in heads.inMemory {
      writer.append(head.position.log)
      writer.u64(head.position.seq)
      writer.append(head.position.hash)
      writer.append(head.signature.bytes)
    }
    writer.append(Sodium.hash16(writer.bytes))
    return writer.bytes
  }

  private func encodeProof(to writer: inout ByteWriter) {
    writer.append(proof.log)
    writer.u64(proof.first)
    writer.append(proof.hashBefore)
    writer.varint(proof.bodies.count)
    for body in proof.bodies {
      writer.varint(body.count)
      writer.append(body)
    }
    writer.append((proof.signature ?? Signature([UInt8](repeating: 0, count: Signature.byteCount))).bytes)
  }

  /// Bytes that a bundle has at most.
  package static let maximumBytes =
    Checkpoint.maximumBytes + 5 * Checkpoint.maximumPieces + 128 * maximumHeads
    + proofBytes + 4_096

  /// - Throws: `.damaged`, `.limitExceeded` or `.unsupportedVersion`; nothing is allocated beyond what is there.
  package init(decoding bytes: [UInt8]) throws(TreeError) {
    guard bytes.count <= Self.maximumBytes else {
      throw TreeError(.limitExceeded, "a checkpoint has \(bytes.count) bytes, beyond \(Self.maximumBytes)")
    }
    var reader = ByteReader(bytes)
    let beginning = try Beginning(&reader)
    guard bytes.count > 16, Sodium.hash16(Array(bytes.dropLast(16))) == Bytes16(bytes.suffix(16)) else {
      throw reader.damaged("checkpoint", "does not agree with its check")
    }
    proof = beginning.proof
    var pieces: [[UInt8]] = []
    for _ in 0..<beginning.pieceCount {
      pieces.append(Array(try reader.prefixed("checkpoint's piece", limit: Zstd.bound(Checkpoint.pieceBytes))))
    }
    checkpoint = beginning.checkpoint(CheckpointPieces(pieces))
    var heads: [SignedHead] = []
    let limit = Self.maximumHeads(ofBytes: beginning.byteCount)
    for _ in 0..<(try reader.count("signed heads", limit: limit)) { heads.append(try SignedHead(&reader)) }
    self.heads = CheckpointHeads(heads)
    _ = try reader.bytes16("check")
    try reader.finish("checkpoint")
  }
}
