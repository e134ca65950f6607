package import OfflineTree

/// A part of a checkpoint as it stands in a file of a shared folder. The layout is in docs/format.md.
package struct CheckpointPart: Hashable, Sendable {
  /// What all parts of one set say alike.
  package struct Whole: Hashable, Sendable {
    package let id: Bytes32
    /// The last change of the proof.
    package let vouched: LogPosition
    package let byteCount: Int

    package var partCount: Int { (byteCount + CheckpointPart.byteLimit - 1) / CheckpointPart.byteLimit }

    /// - Parameter hashes: Of each part, in order.
    package init(vouched: LogPosition, byteCount: Int, hashes: [Bytes32]) {
      self.init(id: Self.id(of: hashes), vouched: vouched, byteCount: byteCount)
    }

    fileprivate init(id: Bytes32, vouched: LogPosition, byteCount: Int) {
      (self.id, self.vouched, self.byteCount) = (id, vouched, byteCount)
    }

    /// By which a set is known: it names every byte of it.
    package static func id(of hashes: [Bytes32]) -> Bytes32 {
      Sodium.hash32(Array("OT checkpoint set 1".utf8) + hashes.flatMap(\.bytes))
    }
  }

  package let whole: Whole
  /// From 0.
  package let number: Int
  package let hash: Bytes32

  /// Bytes of every part but the last.
  package static let byteLimit = 8 << 20

  package init(_ whole: Whole, number: Int, hash: Bytes32) {
    (self.whole, self.number, self.hash) = (whole, number, hash)
  }

  package var byteCount: Int { min(Self.byteLimit, whole.byteCount - number * Self.byteLimit) }

  private var fileByteCount: Int { SealedHeader.end + Padding.paddedCount(byteCount) + Sodium.tagBytes }

  private var opened: [UInt8] {
    var writer = ByteWriter(capacity: SealedHeader.openedCount)
    writer.append(whole.id)
    writer.append(whole.vouched.log)
    writer.u64(whole.vouched.seq)
    writer.append(whole.vouched.hash)
    writer.u64(UInt64(whole.byteCount))
    writer.u32(UInt32(number))
    writer.append(hash)
    writer.append([UInt8](repeating: 0, count: SealedHeader.openedCount - writer.count))
    return writer.bytes
  }

  /// The bytes of the file: O(bytes), which are hashed and sealed.
  ///
  /// - Parameters:
  ///   - content: The part's bytes, of that hash.
  ///   - random: 32 bytes. If they repeat, no nonce does for other contents.
  package func sealed(_ content: [UInt8], _ keys: EpochKeys, random: [UInt8]) -> [UInt8] {
    let (header, body) = (opened, Padding.padded(content))
    let nonce = keys.nonce(random: random, head: whole.vouched.hash, plaintextHash: Sodium.hash32(header + body))
    var file = SealedOuter(kind: .checkpoint, epoch: keys.id, nonce: nonce, fileByteCount: fileByteCount).encoded
    file.reserveCapacity(fileByteCount)
    file += Sodium.seal(header, nonce: nonce, additional: file + keys.space.bytes, keys.header)
    file += Sodium.seal(body, nonce: nonce, additional: file + keys.space.bytes, keys.checkpoints)
    return file
  }
}

extension CheckpointPart {
  /// Opens the header at the beginning of `file`, which may go on: the seal first, then every number against its limit.
  ///
  /// - Throws: `.damaged`, `.limitExceeded` or `.unsupportedVersion`.
  init(opening file: ArraySlice<UInt8>, _ outer: SealedOuter, _ keys: EpochKeys) throws(TreeError) {
    var reader = ByteReader(try SealedHeader.open(file, outer, keys))
    let id = try reader.bytes32("id of a checkpoint's set")
    let (log, seq) = (try reader.bytes16("log"), try reader.u64("number"))
    let vouched = LogPosition(log: log, seq: seq, hash: try reader.bytes32("hash"))
    let (byteCount, number) = (try reader.u64("bytes of a checkpoint"), Int(try reader.u32("number of a part")))
    hash = try reader.bytes32("hash of a part")
    guard reader.rest().allSatisfy({ $0 == 0 }) else {
      throw TreeError(
        .unsupportedVersion, "a checkpoint's part says more than this version knows", advice: updateAdvice)
    }
    guard byteCount > 0, byteCount <= UInt64(CheckpointBundle.maximumBytes) else {
      throw TreeError(.limitExceeded, "a checkpoint is said to have \(byteCount) bytes")
    }
    whole = Whole(id: id, vouched: vouched, byteCount: Int(byteCount))
    self.number = number
    guard number < whole.partCount else { throw TreeError(.damaged, "a checkpoint has no part \(number)") }
    guard fileByteCount == outer.fileByteCount else {
      throw TreeError(.damaged, "file is said to have \(outer.fileByteCount) bytes, and needs \(fileByteCount)")
    }
  }

  /// Opens and checks a whole file.
  ///
  /// - Returns: What its header says, and the part's bytes.
  /// - Throws: As `SealedSegment.init(opening:known:)`.
  package static func open(
    _ file: [UInt8], known: [EpochID: EpochKeys]
  ) throws(TreeError) -> (part: CheckpointPart, content: [UInt8]) {
    let outer = try SealedOuter(decoding: file[...])
    guard outer.kind == .checkpoint else { throw TreeError(.damaged, "this is no part of a checkpoint") }
    let keys = try outer.keys(among: known)
    let part = try CheckpointPart(opening: file[...], outer, keys)
    guard file.count == outer.fileByteCount else {
      throw TreeError(.damaged, "file has \(file.count) bytes, but is said to have \(outer.fileByteCount)")
    }
    let additional = Array(file[..<SealedHeader.end]) + keys.space.bytes
    guard
      var content = Sodium.open(
        file[SealedHeader.end...], nonce: outer.nonce, additional: additional, keys.checkpoints)
    else { throw SealedOuter.broken("part of a checkpoint") }
    guard content[part.byteCount...].allSatisfy({ $0 == 0 }) else {
      throw TreeError(.damaged, "padding is not zero")
    }
    content.removeLast(content.count - part.byteCount)
    guard Sodium.hash32(content) == part.hash else {
      throw TreeError(.damaged, "a part of a checkpoint does not have its hash")
    }
    return (part, content)
  }
}
