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
  package let heads: [SignedHead]

  package static let maximumHeads = 1 << 20
  /// Bytes of the changes in a proof.
  package static let proofBytes = 1 << 20

  package init(checkpoint: Checkpoint, proof: ChangeRun, heads: [SignedHead]) {
    (self.checkpoint, self.proof, self.heads) = (checkpoint, proof, heads)
  }
}

extension CheckpointBundle {
  private static let magic = Array("OTCB".utf8)

  /// As it is kept in the home and sent.
  package var encoded: [UInt8] {
    var writer = ByteWriter(capacity: 4_096 + checkpoint.pieces.reduce(0) { $0 + $1.count + 5 } + 130 * heads.count)
    writer.append(Self.magic)
    writer.u8(Checkpoint.version)
    encodeProof(to: &writer)
    writer.append(checkpoint.hash)
    writer.append(checkpoint.clockDigest)
    writer.varint(checkpoint.byteCount)
    writer.varint(checkpoint.pieces.count)
    for piece in checkpoint.pieces { writer.prefixed(piece) }
    writer.varint(heads.count)
    for head in heads {
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
    guard try reader.bytes(4, "checkpoint's magic").elementsEqual(Self.magic) else {
      throw reader.damaged("checkpoint's magic", "is another")
    }
    guard try reader.u8("checkpoint's version") == Checkpoint.version else {
      throw TreeError(.unsupportedVersion, "a newer version made the checkpoint", advice: "Update this program")
    }
    guard bytes.count > 16, Sodium.hash16(Array(bytes.dropLast(16))) == Bytes16(bytes.suffix(16)) else {
      throw reader.damaged("checkpoint", "does not agree with its check")
    }
    proof = try Self.decodeProof(&reader)
    let (hash, digest) = (try reader.bytes32("checkpoint's hash"), try reader.bytes32("checkpoint's clock"))
    let byteCount = try reader.count("checkpoint's bytes", limit: Checkpoint.maximumPieces * Checkpoint.pieceBytes)
    var pieces: [[UInt8]] = []
    for _ in 0..<(try reader.count("checkpoint's pieces", limit: Checkpoint.maximumPieces)) {
      pieces.append(Array(try reader.prefixed("checkpoint's piece", limit: Zstd.bound(Checkpoint.pieceBytes))))
    }
    checkpoint = Checkpoint(hash: hash, clockDigest: digest, byteCount: byteCount, pieces: pieces)
    var heads: [SignedHead] = []
    for _ in 0..<(try reader.count("signed heads", limit: Self.maximumHeads)) {
      let log = try reader.bytes16("log")
      let seq = try reader.u64("number")
      let position = LogPosition(log: log, seq: seq, hash: try reader.bytes32("hash"))
      heads.append(
        SignedHead(position: position, signature: Signature(try reader.bytes(Signature.byteCount, "signature"))))
    }
    self.heads = heads
    _ = try reader.bytes16("check")
    try reader.finish("checkpoint")
  }

  private static func decodeProof(_ reader: inout ByteReader) throws(TreeError) -> ChangeRun {
    let (log, first) = (try reader.bytes16("log"), try reader.u64("number"))
    let before = try reader.bytes32("hash before")
    var bodies: [ArraySlice<UInt8>] = []
    for _ in 0..<(try reader.count("changes of a proof", limit: reader.remaining)) {
      bodies.append(ArraySlice(try reader.prefixed("change", limit: proofBytes)))
    }
    let signature = Signature(try reader.bytes(Signature.byteCount, "signature"))
    return ChangeRun(log: log, first: first, hashBefore: before, bodies: bodies, signature: signature)
  }
}
