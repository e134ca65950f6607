package import OfflineTree

/// A chunk of a file as it stands in a shared folder. The layout is in docs/format.md.
package struct ChunkFile: Hashable, Sendable {
  package let id: Bytes32
  /// Bytes of the chunk's form.
  package let byteCount: Int

  private var fileByteCount: Int { SealedHeader.end + Padding.paddedCount(byteCount) + Sodium.tagBytes }

  private var opened: [UInt8] {
    var writer = ByteWriter(capacity: SealedHeader.openedCount)
    writer.append(id)
    writer.u32(UInt32(byteCount))
    writer.append([UInt8](repeating: 0, count: SealedHeader.openedCount - writer.count))
    return writer.bytes
  }

  /// The bytes of the file.
  /// - Parameter random: 32 bytes. If they repeat, no nonce does for other contents.
  package static func seal(_ id: Bytes32, _ form: [UInt8], _ keys: EpochKeys, random: [UInt8]) -> [UInt8] {
    let file = ChunkFile(id: id, byteCount: form.count)
    let (header, body) = (file.opened, Padding.padded(form))
    let nonce = keys.nonce(random: random, head: id, plaintextHash: Sodium.hash32(header + body))
    var bytes =
      SealedOuter(kind: .chunk, epoch: keys.id, nonce: nonce, fileByteCount: file.fileByteCount).encoded
    bytes.reserveCapacity(file.fileByteCount)
    bytes += Sodium.seal(header, nonce: nonce, additional: bytes + keys.space.bytes, keys.header)
    bytes += Sodium.seal(body, nonce: nonce, additional: bytes + keys.space.bytes, keys.checkpoints)
    return bytes
  }

  private init(id: Bytes32, byteCount: Int) { (self.id, self.byteCount) = (id, byteCount) }

  /// Opens the header at the beginning of `file`, which may go on: the seal first, then the number against its limit.
  /// - Throws: `.damaged`, `.limitExceeded` or `.unsupportedVersion`.
  init(opening file: ArraySlice<UInt8>, _ outer: SealedOuter, _ keys: EpochKeys) throws(TreeError) {
    var reader = ByteReader(try SealedHeader.open(file, outer, keys))
    id = try reader.bytes32("chunk's id")
    byteCount = Int(try reader.u32("bytes of a chunk"))
    guard reader.rest().allSatisfy({ $0 == 0 }) else {
      throw TreeError(.unsupportedVersion, "a chunk's file says more than this version knows", advice: updateAdvice)
    }
    guard byteCount > 0, byteCount <= Chunk.formBytes else {
      throw TreeError(.limitExceeded, "a chunk is said to have \(byteCount) bytes")
    }
    guard fileByteCount == outer.fileByteCount else {
      throw TreeError(.damaged, "file is said to have \(outer.fileByteCount) bytes, and needs \(fileByteCount)")
    }
  }

  /// Opens a whole file. What it holds is not held against its id yet.
  /// - Throws: As `SealedSegment.init(opening:known:)`.
  package static func open(
    _ file: [UInt8], known: [EpochID: EpochKeys]
  ) throws(TreeError) -> (id: Bytes32, form: [UInt8]) {
    let outer = try SealedOuter(decoding: file[...])
    guard outer.kind == .chunk else { throw TreeError(.damaged, "this is no chunk") }
    let keys = try outer.keys(among: known)
    let chunk = try ChunkFile(opening: file[...], outer, keys)
    guard file.count == outer.fileByteCount else {
      throw TreeError(.damaged, "file has \(file.count) bytes, but is said to have \(outer.fileByteCount)")
    }
    let additional = Array(file[..<SealedHeader.end]) + keys.space.bytes
    guard
      var form = Sodium.open(
        file[SealedHeader.end...], nonce: outer.nonce, additional: additional, keys.checkpoints)
    else { throw SealedOuter.broken("chunk") }
    guard form[chunk.byteCount...].allSatisfy({ $0 == 0 }) else { throw TreeError(.damaged, "padding is not zero") }
    form.removeLast(form.count - chunk.byteCount)
    return (chunk.id, form)
  }
}
