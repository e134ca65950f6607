extension CheckpointBundle {
  static let magic = Array("OTCB".utf8)

  /// What stands before the pieces.
  package struct Beginning: Sendable {
    package let proof: ChangeRun
    let hash: Bytes32
    let clockDigest: Bytes32
    let byteCount: Int
    let pieceCount: Int

    /// Bytes that it has at most: each change of a proof has one byte at least, and a length of one.
    static let maximumBytes = 2 * proofBytes + 4_096

    /// What the proof ends in: the change by which the founder's device vouches, or one behind it.
    package var position: LogPosition? {
      guard !proof.bodies.isEmpty, proof.isWithinLimits else { return nil }
      return LogPosition(log: proof.log, seq: proof.last, hash: proof.head)
    }

    func checkpoint(_ pieces: CheckpointPieces) -> Checkpoint {
      Checkpoint(hash: hash, clockDigest: clockDigest, byteCount: byteCount, pieces: pieces)
    }

    /// As if it ended behind its first piece: who vouches for it shows there.
    func checkpoint(endingWith first: [UInt8]) -> Checkpoint {
      Checkpoint(
        hash: hash, clockDigest: clockDigest, byteCount: min(byteCount, Checkpoint.pieceBytes), pieces: [first])
    }
  }

  /// A checkpoint's file, read without holding more than a piece of it: O(bytes).
  ///
  /// - Parameter file: Stays as it is while the bundle is used.
  /// - Throws: `.damaged`, `.limitExceeded` or `.unsupportedVersion`.
  package init(reading file: LocalFile) throws(TreeError) {
    let end = try Self.checkedEnd(of: file)
    let (beginning, start) = try Self.beginning(of: file)
    var (offset, places): (Int, [Range<Int>]) = (start, [])
    for _ in 0..<beginning.pieceCount {
      let (count, length) = try Self.number(in: file, at: offset, limit: Zstd.bound(Checkpoint.pieceBytes))
      offset += length
      guard offset + count <= end else { throw Self.cutOff }
      places.append(offset..<offset + count)
      offset += count
    }
    let limit = Self.maximumHeads(ofBytes: beginning.byteCount)
    let (count, length) = try Self.number(in: file, at: offset, limit: limit)
    offset += length
    guard offset + count * SignedHead.byteCount == end else { throw Self.cutOff }
    self.init(
      checkpoint: beginning.checkpoint(CheckpointPieces(file, places)), proof: beginning.proof,
      heads: CheckpointHeads(file, at: offset, count: count))
  }

  /// Who vouches for what, without a look at the rest of the file.
  package static func beginning(of file: LocalFile) throws(TreeError) -> (Beginning, byteCount: Int) {
    var reader = ByteReader(try file.read(Beginning.maximumBytes, at: 0))
    let beginning = try Beginning(&reader)
    return (beginning, reader.position)
  }

  private static let bytesRead = 1 << 20
  private static let cutOff = TreeError(.damaged, "a checkpoint is not as long as it says")

  /// Where the check begins, once all before it agrees with it.
  private static func checkedEnd(of file: LocalFile) throws(TreeError) -> Int {
    let count = try file.byteCount()
    guard count <= maximumBytes else {
      throw TreeError(.limitExceeded, "a checkpoint has \(count) bytes, beyond \(maximumBytes)")
    }
    guard count > 16 else { throw cutOff }
    var stream = Sodium.Hash16Stream()
    for offset in stride(from: 0, to: count - 16, by: bytesRead) {
      stream.update(try file.read(min(bytesRead, count - 16 - offset), at: offset))
    }
    let said = try file.read(16, at: count - 16)
    guard said.count == 16, stream.finish() == Bytes16(said) else {
      throw TreeError(.damaged, "a checkpoint does not agree with its check")
    }
    return count - 16
  }

  /// A varint and how many bytes it has.
  private static func number(
    in file: LocalFile, at offset: Int, limit: Int
  ) throws(TreeError) -> (value: Int, length: Int) {
    var reader = ByteReader(try file.read(10, at: offset))
    return (try reader.count("count in a checkpoint", limit: limit), reader.position)
  }
}

extension CheckpointBundle.Beginning {
  init(_ reader: inout ByteReader) throws(TreeError) {
    guard try reader.bytes(4, "checkpoint's magic").elementsEqual(CheckpointBundle.magic) else {
      throw reader.damaged("checkpoint's magic", "is another")
    }
    guard try reader.u8("checkpoint's version") == Checkpoint.version else {
      throw TreeError(.unsupportedVersion, "a newer version made the checkpoint", advice: "Update this program")
    }
    proof = try Self.proof(&reader)
    (hash, clockDigest) = (try reader.bytes32("checkpoint's hash"), try reader.bytes32("checkpoint's clock"))
    byteCount = try reader.count("checkpoint's bytes", limit: Checkpoint.maximumPieces * Checkpoint.pieceBytes)
    pieceCount = try reader.count("checkpoint's pieces", limit: Checkpoint.maximumPieces)
  }

  private static func proof(_ reader: inout ByteReader) throws(TreeError) -> ChangeRun {
    let (log, first) = (try reader.bytes16("log"), try reader.u64("number"))
    let before = try reader.bytes32("hash before")
    var bodies: [ArraySlice<UInt8>] = []
    for _ in 0..<(try reader.count("changes of a proof", limit: reader.remaining)) {
      bodies.append(ArraySlice(try reader.prefixed("change", limit: CheckpointBundle.proofBytes)))
    }
    let signature = Signature(try reader.bytes(Signature.byteCount, "signature"))
    return ChangeRun(log: log, first: first, hashBefore: before, bodies: bodies, signature: signature)
  }
}

extension CheckpointBundle.SignedHead {
  static let byteCount = 56 + Signature.byteCount

  init(_ reader: inout ByteReader) throws(TreeError) {
    let (log, seq) = (try reader.bytes16("log"), try reader.u64("number"))
    position = LogPosition(log: log, seq: seq, hash: try reader.bytes32("hash"))
    signature = Signature(try reader.bytes(Signature.byteCount, "signature"))
  }
}
